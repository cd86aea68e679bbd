/// An engine that can open a store at a location, and read, change or remove a store that is not open.
///
/// The module that contains the engine registers it for a store type (`StoreEngines.register(_:_:)`), so that the code
/// for managed objects does not depend on that module.
package protocol OpenableEngine: StoreEngine {
  /// Opens a store, creating it if it does not exist.
  ///
  /// - Parameter origin: If this store replaces another store whose objects must keep their IDs: the origin of these
  ///   IDs. Nil for a new origin.
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
