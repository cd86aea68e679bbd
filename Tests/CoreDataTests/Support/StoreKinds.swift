import CoreData
import Foundation
import Testing

/// The kinds of store that tests run on.
enum TestedStore: String, CaseIterable, CustomTestStringConvertible {
  case sqlite = "SQLite"
  case memorySQLite = "SQLite in memory"
  case inMemory = "InMemory"
  case binary = "Binary"
  case xml = "XML"
  case ownAtomic = "TestNodes"
  case ownIncremental = "TestGraphServer"
  case keyValue = "TestKeyValues"

  /// The kinds of store that this library implements.
  static let allCases: [TestedStore] = [.sqlite, .memorySQLite, .inMemory, .binary, .xml]
  /// `allCases`, two custom stores, and a store whose engine only returns rows, so that predicates and sort descriptors
  /// are evaluated with objects.
  static let everyKind = allCases + [.ownAtomic, .ownIncremental, .keyValue]

  private static let registered: Void = {
    NSPersistentStoreCoordinator.registerStoreClass(
      NodeStore.self, forStoreType: NodeStore.storeType)
    NSPersistentStoreCoordinator.registerStoreClass(
      GraphServerStore.self, forStoreType: GraphServerStore.storeType)
    StoreEngines.register(KeyValueEngine.self, KeyValueEngine.storeType)
  }()

  var testDescription: String { rawValue }

  var type: String {
    Self.registered
    return self == .memorySQLite ? NSSQLiteStoreType : rawValue
  }

  /// Whether the store still has its content when it is opened again.
  var isFile: Bool { self != .inMemory && self != .memorySQLite && self != .keyValue }

  /// Whether requests are translated to SQL. Only such stores have batch requests, constraints, derived
  /// attributes, query generations and fetches that do not wait for another context's save.
  var isSQL: Bool { self == .sqlite || self == .memorySQLite }

  static let sqlKinds = allCases.filter(\.isSQL)
  static let fileKinds = allCases.filter(\.isFile)

  /// Returns a URL for a store of this kind, in a folder if it is a file.
  func url(in folder: TemporaryFolder, _ name: String = "store") -> URL {
    if self == .keyValue { return Self.newNamedURL() }
    return isFile
      ? folder.file("\(name).\(rawValue.lowercased())") : URL(fileURLWithPath: "/dev/null")
  }

  /// Returns a URL for a store in memory that several coordinators can open.
  static func newNamedURL() -> URL { URL(fileURLWithPath: "/dev/null/\(UUID().uuidString)") }

  /// Opens a store of this kind in a new coordinator of the model, and returns the store and a context.
  func open(
    _ model: NSManagedObjectModel, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> (store: NSPersistentStore, context: NSManagedObjectContext) {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return (store, context)
  }
}

/// Runs a test's body once for each kind of store, each time with a new folder.
func onEveryStore(
  _ kinds: [TestedStore] = TestedStore.allCases,
  _ body: (TestedStore, TemporaryFolder) throws -> Void
) throws {
  for kind in kinds { try body(kind, try TemporaryFolder()) }
}
