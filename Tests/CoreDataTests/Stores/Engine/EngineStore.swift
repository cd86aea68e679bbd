import Testing

@testable import CoreData
@testable import SQLiteEngine

/// A SQLite store that is opened with options in a separate file, and its engine.
struct EngineStore {
  let folder: TemporaryFolder
  let url: URL
  let context: NSManagedObjectContext
  let store: SQLiteStore

  init(_ options: [AnyHashable: Any]? = nil) throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let opened = try TestedStore.sqlite.open(SampleStack.makeModel(), at: url, options: options)
    context = opened.context
    store = try #require(opened.store.engine as? SQLiteStore)
  }

  func save(_ name: String) throws {
    try context.performAndWait {
      context.insert("Player", ["name": name])
      try context.save()
    }
  }

  func names() throws -> [String] {
    try context.performAndWait {
      try context.all("Player", sort: ["name"]).map { $0["name"] ?? "" }
    }
  }

  func size(_ suffix: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path + suffix)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }
}
