/// Describes how a container opens a store.
///
/// ```swift
/// let description = NSPersistentStoreDescription(url: url)
/// description.isReadOnly = true
/// container.persistentStoreDescriptions = [description]
/// ```
nonisolated open class NSPersistentStoreDescription: NSObject, NSCopying, @unchecked Sendable {
  /// The type of the store, such as `NSSQLiteStoreType`.
  open var type = NSSQLiteStoreType
  /// The name of the model configuration that contains the store's entities; nil for all entities.
  ///
  /// ```swift
  /// let folder = NSPersistentContainer.defaultDirectoryURL()
  /// let cache = NSPersistentStoreDescription(url: folder.appendingPathComponent("Cache.sqlite"))
  /// cache.configuration = "Cache"
  /// container.persistentStoreDescriptions.append(cache)
  /// ```
  open var configuration: String?
  /// The location of the store's file. A SQLite store cannot be opened without one.
  ///
  /// `/dev/null` creates a store in memory. `/dev/null/NAME` is a store in memory that all coordinators of this process
  /// share under that name.
  ///
  /// ```swift
  /// let inMemory = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
  /// let shared = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null/Shared"))
  /// ```
  open var url: URL?
  /// Whether the store is opened in the background.
  open var shouldAddStoreAsynchronously = false
  /// The options that the store is opened with.
  open private(set) var options: [String: NSObject] = [
    // As in Apple's Core Data, a description enables migration by default. A program that opens a store without a
    // description has to enable it.
    NSMigratePersistentStoresAutomaticallyOption: NSNumber(value: true),
    NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
  ]

  /// Creates a description of a SQLite store.
  public init(url: URL) {
    self.url = url
    super.init()
  }

  /// Creates a description of a SQLite store in memory.
  public override convenience init() { self.init(url: URL(fileURLWithPath: "/dev/null")) }

  /// Sets an option; nil removes it.
  ///
  /// ```swift
  /// let description = NSPersistentStoreDescription(url: url)
  /// description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
  /// ```
  open func setOption(_ option: NSObject?, forKey key: String) { options[key] = option }

  /// Whether to migrate a store of another version of the model. The default is `true`.
  ///
  /// ```swift
  /// let description = NSPersistentStoreDescription(url: url)
  /// description.shouldMigrateStoreAutomatically = false
  /// container.persistentStoreDescriptions = [description]
  /// container.loadPersistentStores { _, error in
  ///   if let error { print(error.localizedDescription) }  // if the store has another version
  /// }
  /// ```
  open var shouldMigrateStoreAutomatically: Bool {
    get { isSet(NSMigratePersistentStoresAutomaticallyOption) }
    set { options[NSMigratePersistentStoresAutomaticallyOption] = NSNumber(value: newValue) }
  }

  /// Whether to infer a mapping model if the program contains none. The default is `true`.
  open var shouldInferMappingModelAutomatically: Bool {
    get { isSet(NSInferMappingModelAutomaticallyOption) }
    set { options[NSInferMappingModelAutomaticallyOption] = NSNumber(value: newValue) }
  }

  private func isSet(_ option: String) -> Bool {
    (options[option] as? NSNumber)?.boolValue ?? false
  }

  /// Whether the store is opened for reading only.
  open var isReadOnly: Bool {
    get { isSet(NSReadOnlyPersistentStoreOption) }
    set { options[NSReadOnlyPersistentStoreOption] = NSNumber(value: newValue) }
  }

  /// The time in seconds to wait until another connection releases its lock. The default is 240.
  open var timeout: TimeInterval {
    get { (options[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240 }
    set { options[NSPersistentStoreTimeoutOption] = NSNumber(value: newValue) }
  }

  /// Sets a SQLite pragma of the store's connections; nil removes it.
  ///
  /// ```swift
  /// let description = NSPersistentStoreDescription(url: url)
  /// description.setValue("-20000" as NSString, forPragmaNamed: "cache_size")
  /// ```
  open func setValue(_ value: NSObject?, forPragmaNamed name: String) {
    var pragmas = sqlitePragmas
    pragmas[name] = value
    options[NSSQLitePragmasOption] = pragmas as NSDictionary
  }

  /// The SQLite pragmas by name.
  ///
  /// ```swift
  /// let description = NSPersistentStoreDescription(url: url)
  /// description.setValue("FULL" as NSString, forPragmaNamed: "synchronous")
  /// print(description.sqlitePragmas.keys.sorted())  // ["synchronous"]
  /// ```
  open var sqlitePragmas: [String: NSObject] {
    (options[NSSQLitePragmasOption] as? [String: NSObject]) ?? [:]
  }

  open override var description: String {
    "<NSPersistentStoreDescription: type: \(type), url: \(url?.absoluteString ?? "none")>"
  }

  /// Returns a description with the same content.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentStoreDescription()
    copy.type = type
    copy.configuration = configuration
    copy.url = url
    copy.shouldAddStoreAsynchronously = shouldAddStoreAsynchronously
    copy.options = options
    return copy
  }
}
