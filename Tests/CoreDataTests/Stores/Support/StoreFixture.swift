import CoreData
import FixtureSupport
import Testing

/// A store that Apple's Core Data wrote.
struct StoreFixture: CustomTestStringConvertible, Sendable {
  /// The path below the fixtures' root.
  let path: String
  /// A source model with which the store was written.
  let sourceModel: String?

  var testDescription: String { path }
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  static let all: [StoreFixture] = {
    guard Fixtures.areAvailable, let index = try? Fixtures.table("INDEX.tsv"),
      let match = try? Fixtures.table("MATCH.tsv")
    else { return [] }
    var sources: [String: String] = [:]
    for row in match {
      if let store = row["store"], let model = row["models whose version hashes match"],
        model != "-"
      {
        sources[store] = model.split(separator: ";").first.map(String.init)
      }
    }
    return index.filter { $0["kind"] == "store" }.compactMap { $0["file"] }
      .map { StoreFixture(path: $0, sourceModel: sources[$0]) }
  }()

  static func named(_ part: String) -> StoreFixture? { all.first { $0.path.hasSuffix(part) } }

  /// Makes a writable copy with the store's write-ahead log.
  func copy(into folder: TemporaryFolder, withLog: Bool = true) throws -> URL {
    let copy = folder.file(name)
    for suffix in withLog ? ["", "-wal"] : [""] {
      let source = Fixtures.url(path + suffix)
      guard FileManager.default.fileExists(atPath: source.path) else { continue }
      try Data(contentsOf: source).write(to: URL(fileURLWithPath: copy.path + suffix))
    }
    return copy
  }

  /// The origin of a model for the store.
  enum ModelOrigin: String, CaseIterable, Sendable { case source, cache, inferred }

  /// Returns the models for the store; an inferred one only if the store contains no model.
  func models(_ url: URL) throws -> [(origin: ModelOrigin, model: NSManagedObjectModel)] {
    var models: [(ModelOrigin, NSManagedObjectModel)] = []
    if let sourceModel {
      models.append((.source, try NSManagedObjectModel(validating: Fixtures.url(sourceModel))))
    }
    if let cached = try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url) {
      models.append((.cache, cached))
    } else {
      models.append((.inferred, try NSPersistentStoreCoordinator.inferredModel(ofStoreAt: url)))
    }
    return models
  }
}

/// A context of one store.
struct OpenStore {
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  init(
    _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
  ) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}

extension NSManagedObjectID {
  /// The primary key, taken from the ID's public URI.
  var primaryKey: Int64? { Int64(uriRepresentation().lastPathComponent.dropFirst()) }
}

/// Returns the error that `body` throws. If it throws none, records an issue and returns nil.
///
/// Unlike `#expect(throws:)`, it stays on the current thread, and so in the context's block.
func failure(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> NSError? {
  do {
    try body()
    Issue.record("no error was thrown", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error as NSError
  }
}
