/// An engine whose stores are opened by their location, and what can be done with such a store that is not open.
///
/// The module that has the engine registers it under the name of a type of store
/// (`StoreEngines.register(_:_:)`); the graph names no module of such an engine.
package protocol OpenableEngine: StoreEngine {
  /// Opens a store, or makes it when there is none yet.
  ///
  /// - Parameter origin: where the IDs of another store's objects come from, which this one takes over; nil for a
  ///   store with objects of its own.
  static func open(
    _ location: StoreLocation, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> Self
  /// What a store says of itself.
  static func metadata(of location: StoreLocation, _ options: StoreOptions) throws -> [String: Any]
  static func setMetadata(
    _ metadata: [String: Any], of location: StoreLocation, _ options: StoreOptions) throws
  /// Removes a store with all that is in it.
  static func destroy(_ location: StoreLocation, _ options: StoreOptions) throws
}
