import CoreData
import FixtureSupport

/// Whole stores that mutants are made of: the workload's own, and small ones of Apple's.
struct FuzzSeeds {
  struct Store {
    let name: String
    let bytes: Data
    /// Nil where the store's own copy is to be used.
    let model: NSManagedObjectModel?
  }

  private(set) var all: [Store] = []
  private static let largest = 220_000
  private static let fixtures = 30

  init() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("own.sqlite")
    let store = try WorkloadStore(url, WorkloadStore.options(journal: "delete"))
    try store.context.performAndWait {
      for number in [1, 2, 3, 10, 11, 12, 20] { try Ledger.take(number, in: store.context) }
      // Small, so that a mutation hits something.
      for item in try store.context.all("Item") {
        item.setValue(Data("payload".utf8), forKey: "payload")
      }
      try store.context.save()
    }
    try store.close()
    try PlainSQL(url).run("VACUUM")
    let own = Store(
      name: "own.sqlite", bytes: try Data(contentsOf: url), model: WorkloadModel.model)
    all.append(own)
    guard Fixtures.areAvailable else { return }
    let stores = try Fixtures.table("INDEX.tsv").filter { $0["kind"] == "store" }
      .compactMap { $0["file"] }.sorted()
    let small = stores.filter { path in
      let bytes = (try? Data(contentsOf: Fixtures.url(path)))?.count ?? 0
      return bytes > 0 && bytes < Self.largest
    }
    for (index, path) in small.enumerated()
    where index % max(1, small.count / Self.fixtures) == 0 {
      all.append(Store(name: path, bytes: try Data(contentsOf: Fixtures.url(path)), model: nil))
      // The library's own has all that it writes: as many mutants are made of it as of the others.
      all.append(own)
    }
  }
}
