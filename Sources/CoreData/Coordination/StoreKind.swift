import SQLiteEngine

/// What a type of store is made of.
enum StoreKind {
  case file(any FileEngine.Type)
  case atomic(AtomicFormat)
  /// A class of the program's own.
  case custom(NSPersistentStore.Type)

  /// The engine of stores of the type `NSSQLiteStoreType`.
  static let sqlite = SQLiteStores.engine

  /// The kind of a type by its name.
  init(_ type: String) throws {
    switch type {
    case NSSQLiteStoreType: self = .file(Self.sqlite)
    case NSXMLStoreType: self = .atomic(.xml)
    case NSBinaryStoreType: self = .atomic(.binary)
    case NSInMemoryStoreType: self = .atomic(.inMemory)
    default:
      guard let registered = StoreClasses.type(named: type) else {
        throw CoreDataError.make(
          NSPersistentStoreInvalidTypeError,
          "there is no store of type \"\(type)\"; classes are registered with"
            + " NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)")
      }
      self = .custom(registered)
    }
  }
}

/// The store classes of the program.
enum StoreClasses {
  private static let lock = NSLock()
  nonisolated(unsafe) private static var classes: [String: NSPersistentStore.Type] = [:]

  static func type(named name: String) -> NSPersistentStore.Type? {
    lock.withLock { classes[name] }
  }
  static func register(_ type: NSPersistentStore.Type?, _ name: String) {
    lock.withLock { classes[name] = type }
  }
  static var all: [String: NSPersistentStore.Type] { lock.withLock { classes } }
}
