/// An engine whose stores are opened by their location, and operations on such a store while it is not open.
///
/// The module with the engine registers it for a store type (`StoreEngines.register(_:_:)`). So the code for managed
/// objects does not depend on that module.
package protocol OpenableEngine: StoreEngine {
  /// Opens a store, creating it if it does not exist.
  ///
  /// - Parameter origin: The origin of the object IDs of another store that this store replaces, so that its objects
  ///   keep their IDs; nil if the objects get new IDs.
  static func open(
    _ location: StoreLocation, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin?
  ) throws -> Self
  /// Returns the metadata of a store.
  static func metadata(of location: StoreLocation, _ options: StoreOptions) throws -> [String: Any]
  static func setMetadata(
    _ metadata: [String: Any], of location: StoreLocation, _ options: StoreOptions) throws
  /// Removes a store with its content.
  static func destroy(_ location: StoreLocation, _ options: StoreOptions) throws
}
