public import Foundation
public import ObjectModel

extension NSPersistentStoreCoordinator {
  /// The model that a store was made with, from the copy that the store carries.
  ///
  /// - Throws: when there is no such file, it is no store, the copy is damaged, or the store carries
  ///   none, as those do that are older than 2014.
  public class func cachedModelForPersistentStore(
    at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectModel {
    if let model = try cachedModel(ofStoreAt: url) { return model }
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "the store \(url.path) carries no copy of its model",
      [NSFilePathErrorKey: url.path])
  }

  /// The model that a store was made with, from the copy that the store carries; nil for stores
  /// older than 2014, which carry none.
  ///
  /// Compared to Apple's Core Data: `cachedModelForPersistentStore(at:options:)` throws for those.
  ///
  /// - Throws: when there is no such file, it is no store, or the copy is damaged.
  public class func cachedModel(ofStoreAt url: URL) throws -> NSManagedObjectModel? {
    try SQLiteStore.cachedModel(of: url)
  }

  /// A model made from a store's tables, for a store that carries none: entities and their
  /// hierarchy, attributes with the types of their columns, relationships from key columns and
  /// join tables.
  ///
  /// Names come in the tables' upper case, except the entities'; open the store with
  /// `NSIgnorePersistentStoreVersioningOption`.
  ///
  /// Compared to Apple's Core Data: new.
  public class func inferredModel(ofStoreAt url: URL) throws -> NSManagedObjectModel {
    try ModelInference.model(of: url)
  }

  /// Whether a file begins as SQLite's databases do; looks at it so that the locks of a store that
  /// is open stay.
  package class func isDatabase(at url: URL) throws -> Bool {
    try StoreBytes.reading(url) { try $0.isDatabase() }
  }

  /// The type of the store in a file: one of those that come with this library; nil for a file that is none.
  package class func storeType(ofFileAt url: URL) -> NSPersistentStore.StoreType? {
    StoreTypeMismatch.type(ofFileAt: url).map(NSPersistentStore.StoreType.init(rawValue:))
  }
}
