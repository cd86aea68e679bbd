public import Foundation

extension NSPersistentStoreCoordinator {
  /// The metadata of an open store.
  public func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata ?? [:] }

  /// Replaces the metadata of an open store. It is written by the next save of a context; the
  /// keys that the store cannot be without stay when the new dictionary has none.
  public func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = metadata
  }

  /// The metadata of a store that need not be open, read from its file.
  ///
  /// - Throws: when there is no such file, or it is no store of this type.
  public class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    switch try StoreKind(storeType) {
    case .sqlite: return try SQLiteStore.metadata(of: url)
    case .atomic(let format): return try format.metadata(of: url)
    case .custom(let storeClass): return try storeClass.metadataForPersistentStore(with: url)
    }
  }

  /// The metadata of a store that need not be open, read from its file.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  /// Replaces the metadata of a store that is not open, at once; the keys that the store cannot be
  /// without stay when the new dictionary has none.
  ///
  /// - Throws: when there is no such file, it is no store of this type, or it cannot be written.
  public class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    switch try StoreKind(storeType) {
    case .sqlite: try SQLiteStore.setMetadata(metadata ?? [:], of: url, StoreOptions(options))
    case .atomic(let format): try format.setMetadata(metadata ?? [:], of: url)
    case .custom(let storeClass):
      try storeClass.setMetadata(metadata, forPersistentStoreAt: url)
    }
  }

  /// Replaces the metadata of a store that is not open, at once.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
