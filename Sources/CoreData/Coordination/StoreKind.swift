import SQLiteEngine
import Synchronization

/// How stores of a type are implemented.
enum StoreKind {
  case file(any FileEngine.Type)
  /// An engine that another module registered.
  case engine(any OpenableEngine.Type)
  case atomic(AtomicFormat)
  /// A store class that the program registered.
  case custom(NSPersistentStore.Type)

  /// The engine of stores of the type `NSSQLiteStoreType`.
  static let sqlite = SQLiteStores.engine

  /// Creates the kind of stores of a type.
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
          "there is no store type \"\(type)\"; register a class for it with"
            + " NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)")
      }
      self = .custom(registered)
    }
  }

  /// The engine whose stores are files that it changes in place; nil for other kinds of stores.
  var fileEngine: (any FileEngine.Type)? {
    guard case .file(let engine) = self else { return nil }
    return engine
  }
}

/// The engines of other modules.
package enum StoreEngines {
  private static let types = Mutex<[String: any OpenableEngine.Type]>([:])

  static func type(named name: String) -> (any OpenableEngine.Type)? { types.withLock { $0[name] } }

  /// Registers the engine for stores of a type; nil removes it.
  package static func register(_ engine: (any OpenableEngine.Type)?, _ name: String) {
    types.withLock { $0[name] = engine }
  }
}

/// The store classes that the program registered.
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
