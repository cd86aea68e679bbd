import SQLiteEngine
import Synchronization

/// What a type of store is made of.
enum StoreKind {
  case file(any FileEngine.Type)
  /// An engine that another module registered.
  case engine(any OpenableEngine.Type)
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
      if let engine = StoreEngines.type(named: type) {
        self = .engine(engine)
        return
      }
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

/// The engines of other modules.
package enum StoreEngines {
  private static let types = Mutex<[String: any OpenableEngine.Type]>([:])

  static func type(named name: String) -> (any OpenableEngine.Type)? { types.withLock { $0[name] } }

  /// Makes an engine known by the type under which its stores are added; nil takes it back.
  package static func register(_ engine: (any OpenableEngine.Type)?, _ name: String) {
    types.withLock { $0[name] = engine }
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
