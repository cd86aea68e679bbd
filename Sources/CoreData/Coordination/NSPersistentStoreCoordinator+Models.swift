extension NSPersistentStoreCoordinator {
  /// The model that a store was made with, from the copy that the store carries.
  ///
  /// - Throws: when there is no such file, it is no store, the copy is damaged, or the store carries
  ///   none, as those do that are older than 2014.
  ///
  /// ```swift
  /// let model = try NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
  /// print(model.entities.compactMap(\.name))
  /// ```
  public class func cachedModelForPersistentStore(
    at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectModel {
    let isImmutable = ImmutableStoreScope.isOn || StoreOptions(options).isImmutable
    let model = try ImmutableStoreScope.$isOn.withValue(isImmutable) {
      try cachedModel(ofStoreAt: url)
    }
    if let model { return model }
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "the store \(url.path) carries no copy of its model",
      at: url.path)
  }

  /// The model that a store was made with, from the copy that the store carries; nil for stores
  /// older than 2014, which carry none.
  ///
  /// Compared to Apple's Core Data: `cachedModelForPersistentStore(at:options:)` throws for those.
  ///
  /// - Throws: when there is no such file, it is no store, or the copy is damaged.
  ///
  /// ```swift
  /// let model =
  ///   try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
  ///   ?? NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
  /// ```
  public class func cachedModel(ofStoreAt url: URL) throws -> NSManagedObjectModel? {
    try StoreKind.sqlite.cachedModel(of: url)
  }

  /// What a store can be read with, and what is wrong with what it says of itself.
  package struct ReadableStore {
    /// The store's own model, or one that follows from its tables.
    package let model: NSManagedObjectModel
    /// Whether it is the copy that the store carries.
    package let isOwn: Bool
    /// Why the store's own copy, or its metadata, is not used: sentences without a full stop.
    package let warnings: [String]
  }

  /// The best model that a store can be read with: the copy that it carries if that can be read and used, else one
  /// inferred from its tables.
  ///
  /// - Throws: when there is no such file or it is no store.
  package class func readableStore(
    at url: URL, given: NSManagedObjectModel? = nil
  ) throws -> ReadableStore {
    let url = url.resolvingSymlinksInPath()
    var warnings: [String] = []
    if let fault = try StoreKind.sqlite.partialMetadata(of: url).fault {
      warnings.append("\(fault.localizedDescription); the store cannot be written")
    }
    if let given { return ReadableStore(model: given, isOwn: false, warnings: warnings) }
    do {
      if let own = try StoreKind.sqlite.cachedModel(of: url) {
        for problem in try own.tolerated() { warnings.append("the store's model: \(problem)") }
        return ReadableStore(model: own, isOwn: true, warnings: warnings)
      }
    } catch {
      warnings.append(
        "\(error.localizedDescription); the store is read with a model that follows from its tables"
      )
    }
    return ReadableStore(
      model: try StoreKind.sqlite.inferredModel(of: url), isOwn: false, warnings: warnings)
  }

  /// A model made from a store's tables, for a store that carries none: entities and their
  /// hierarchy, attributes with the types of their columns, relationships from key columns and
  /// join tables.
  ///
  /// Names come in the tables' upper case, except the entities'; open the store with
  /// `NSIgnorePersistentStoreVersioningOption`.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// ```swift
  /// let model = try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// try coordinator.addPersistentStore(
  ///   ofType: NSSQLiteStoreType, configurationName: nil, at: url,
  ///   options: [NSIgnorePersistentStoreVersioningOption: true, NSReadOnlyPersistentStoreOption: true])
  /// ```
  public class func inferredModel(ofStoreAt url: URL) throws -> NSManagedObjectModel {
    try StoreKind.sqlite.inferredModel(of: url)
  }

  /// Whether a file begins as SQLite's databases do; looks at it so that the locks of a store that
  /// is open stay.
  package class func isDatabase(at url: URL) throws -> Bool {
    try StoreKind.sqlite.bytes(of: url, limit: 16) == Data("SQLite format 3\0".utf8)
  }

  /// The type of the store in a file: one of those that come with this library; nil for a file that is none.
  package class func storeType(ofFileAt url: URL) -> NSPersistentStore.StoreType? {
    StoreTypeMismatch.type(ofFileAt: url).map(NSPersistentStore.StoreType.init(rawValue:))
  }
}
