extension NSPersistentStoreCoordinator {
  static func readMetadata(
    _ storeType: String, _ url: URL, _ options: [AnyHashable: Any]?
  ) throws -> [String: Any] {
    switch try StoreKind(storeType) {
    case .file(let files): return try files.metadata(of: url)
    case .engine(let engine):
      return try engine.metadata(of: StoreLocation(url), StoreOptions(options))
    case .atomic(let format): return try format.metadata(of: url)
    case .custom(let storeClass): return try storeClass.metadataForPersistentStore(with: url)
    }
  }

  /// Returns the metadata of a store from its file; see `metadataForPersistentStore(ofType:at:options:)`.
  ///
  /// ```swift
  /// let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
  /// print(metadata[NSStoreUUIDKey] as? String ?? "")
  /// ```
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  static func writeMetadata(
    _ metadata: [String: Any]?, _ storeType: String, _ url: URL, _ options: [AnyHashable: Any]?
  ) throws {
    switch try StoreKind(storeType) {
    case .file(let files): try files.setMetadata(metadata ?? [:], of: url, StoreOptions(options))
    case .engine(let engine):
      try engine.setMetadata(metadata ?? [:], of: StoreLocation(url), StoreOptions(options))
    case .atomic(let format): try format.setMetadata(metadata ?? [:], of: url)
    case .custom(let storeClass):
      try storeClass.setMetadata(metadata, forPersistentStoreAt: url)
    }
  }

  /// Immediately replaces the metadata of a store that is not open; see
  /// `setMetadata(_:forPersistentStoreOfType:at:options:)`.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
