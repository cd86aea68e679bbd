import CoreData
import FixtureSupport

/// The undamaged stores from which mutants are made: the workload's store, and small stores written
/// by Apple's Core Data.
struct FuzzSeeds {
  struct Store {
    let name: String
    let bytes: Data
    /// The external files, by their paths relative to the store's folder.
    var files: [String: Data] = [:]
    /// Nil to use the store's own copy of the model.
    let model: NSManagedObjectModel?

    /// Writes the store to a URL in an empty folder.
    func write(to url: URL) throws {
      try bytes.write(to: url)
      let folder = url.deletingLastPathComponent()
      for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
        let file = folder.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: file)
      }
    }
  }

  /// The file name of every mutant. The folder of external files has the store's name.
  static let fileName = "store.sqlite"

  private(set) var all: [Store] = []
  private static let largest = 220_000
  private static let fixtures = 30

  init() throws {
    let own = [
      try Self.own("own.sqlite"), try Self.own("own with history", tracksHistory: true),
      try Self.own("own with files", hasFiles: true),
    ]
    all = own
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
      // One store of the workload for each fixture, so that half of the mutants are made from stores
      // with everything that the library writes.
      all.append(own[all.count / 2 % own.count])
    }
  }

  private static func own(
    _ name: String, tracksHistory: Bool = false, hasFiles: Bool = false
  ) throws -> Store {
    let folder = try TemporaryFolder()
    let url = folder.file(fileName)
    var options = WorkloadStore.options(journal: "delete")
    options[NSPersistentHistoryTrackingKey] = tracksHistory as NSNumber
    let store = try WorkloadStore(url, options)
    try store.context.performAndWait {
      for number in [1, 2, 3, 10, 11, 12, 20] { try Ledger.perform(number, in: store.context) }
      let items = try store.context.all("Item").sorted {
        $0.objectID.uriRepresentation().path < $1.objectID.uriRepresentation().path
      }
      for (place, item) in items.enumerated() {
        // The values in rows are small, so that more mutations hit the structure of the file.
        let payload =
          hasFiles && place < 2
          ? Data(repeating: UInt8(place), count: 140_000) : Data("payload".utf8)
        item.setValue(payload, forKey: "payload")
      }
      try store.context.save()
    }
    try store.close()
    let plain = try PlainSQL(url)
    // Mutants must be reproducible, so values that differ between two runs are replaced.
    if tracksHistory { try plain.run("UPDATE ATRANSACTION SET ZTIMESTAMP = 700000000.25") }
    try plain.run("VACUUM")
    return Store(
      name: name, bytes: try Data(contentsOf: url), files: try files(beside: url),
      model: WorkloadModel.model)
  }

  private static func files(beside url: URL) throws -> [String: Data] {
    let folder = url.deletingLastPathComponent()
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.contains("_EXTERNAL_DATA/") {
      files[path] = try Data(contentsOf: folder.appendingPathComponent(path))
    }
    return files
  }
}
