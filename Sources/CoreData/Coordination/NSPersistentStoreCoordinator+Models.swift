extension NSPersistentStoreCoordinator {
  /// Returns the model of a store, from the copy in the store.
  ///
  /// - Throws: If the file does not exist, is not a store or cannot be read, or if the copy of the model is damaged or
  ///   missing. Stores from before 2014 contain no copy.
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
      NSPersistentStoreOperationError, "the store \(url.path) contains no copy of its model",
      at: url.path)
  }

  /// Returns the model of a store, from the copy in the store; nil for stores from before 2014, which contain no copy.
  ///
  /// Compared to Apple's Core Data: new. `cachedModelForPersistentStore(at:options:)` throws an error for such stores.
  ///
  /// - Throws: If the file does not exist, is not a store or cannot be read, or if the copy of the model is damaged.
  ///
  /// ```swift
  /// let model =
  ///   try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url)
  ///   ?? NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)
  /// ```
  public class func cachedModel(ofStoreAt url: URL) throws -> NSManagedObjectModel? {
    try StoreKind.sqlite.cachedModel(of: url)
  }

  /// The model to read a store with, and warnings about the store's own model and metadata.
  package struct ReadableStore {
    /// The store's copy of its model, the passed model, or a model that was inferred from the store's tables.
    package let model: NSManagedObjectModel
    /// Whether the model is the copy in the store.
    package let isOwn: Bool
    /// What is wrong with the store's metadata and with its copy of the model, which may be used nevertheless:
    /// sentences without a period at the end.
    package let warnings: [String]
  }

  /// Returns the best model for reading a store: the passed model; or else the copy in the store, if it is readable and
  /// valid; or else a model that is inferred from the store's tables.
  ///
  /// - Throws: If the file does not exist, is not a store, or cannot be read.
  package class func readableStore(
    at url: URL, given: NSManagedObjectModel? = nil
  ) throws -> ReadableStore {
    var warnings: [String] = []
    if let error = try StoreKind.sqlite.partialMetadata(of: url).error {
      warnings.append("\(error.localizedDescription); the store cannot be written")
    }
    if let given { return ReadableStore(model: given, isOwn: false, warnings: warnings) }
    do {
      if let own = try StoreKind.sqlite.cachedModel(of: url) {
        for problem in try own.tolerated() { warnings.append("the store's model: \(problem)") }
        return ReadableStore(model: own, isOwn: true, warnings: warnings)
      }
    } catch {
      warnings.append(
        "\(error.localizedDescription); the store is read with a model inferred from its tables"
      )
    }
    return ReadableStore(
      model: try StoreKind.sqlite.inferredModel(of: url), isOwn: false, warnings: warnings)
  }

  /// Returns a model that is inferred from a store's tables, for a store without a copy of its model: entities and
  /// their hierarchy, attributes with the types of their columns, and relationships from foreign keys and join
  /// tables.
  ///
  /// Names of properties are lowercase, because the names of columns, which are uppercase, do not show their spelling.
  /// A name that is readable in a damaged copy of the model has the spelling in that copy. If two properties of an
  /// entity would have the same name, the second one is uppercase. Names that are errors in a model built in code, such
  /// as `hash`, are only warnings. Open the store with `NSIgnorePersistentStoreVersioningOption`.
  ///
  /// Compared to Apple's Core Data: new.
  ///
  /// - Throws: If the file does not exist, is not a store, or cannot be read.
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

  /// Returns whether a file begins like a SQLite database. Does not release the locks of an open store.
  package class func isDatabase(at url: URL) throws -> Bool {
    // The file is not read with Foundation, because closing any descriptor of the file would release the locks that
    // SQLite holds on it in this process.
    try StoreKind.sqlite.bytes(of: url, limit: 16) == Data("SQLite format 3\0".utf8)
  }

  /// Returns the type of the store in a file, if it is one of the library's types; nil for another file.
  package class func storeType(ofFileAt url: URL) -> NSPersistentStore.StoreType? {
    StoreTypeMismatch.type(ofFileAt: url).map(NSPersistentStore.StoreType.init(rawValue:))
  }
}
