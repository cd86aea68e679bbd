import CoreData
import Testing

/// A rollback journal that is too large to be read while the store stays unchanged. Only the journal has the old
/// content of the pages that an unfinished transaction has written to the file.
@Suite struct LargeJournalTests {
  private let folder: TemporaryFolder
  private let url: URL

  /// Makes a store whose process ended during a transaction, after it had written pages of the transaction to the file.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let other = try TemporaryFolder()
    let source = other.file("store.sqlite")
    let store = try OpenStore(source, SampleStore.model())
    try store.context.performAndWait {
      for number in 0..<500 {
        store.context.insert("Player", ["name": "player \(number)", "age": number])
      }
      try store.context.save()
    }
    try store.close()
    let writer = try PlainDatabase(source)
    try writer.execute("PRAGMA journal_mode = DELETE")
    try writer.execute("PRAGMA cache_size = 2; PRAGMA cache_spill = 1; BEGIN")
    try writer.execute("UPDATE ZPLAYER SET ZNAME = 'x' || Z_PK")
    try writer.execute("CREATE TABLE x (y); INSERT INTO x VALUES (zeroblob(3000000))")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: source.path + suffix, toPath: url.path + suffix)
    }
    try writer.execute("ROLLBACK")
    // A file with a hole, which needs no space on the disk.
    let isExtended = truncate(url.path + "-journal", (1 << 30) + 1) == 0
    try #require(isExtended)
  }

  private func count(_ options: [AnyHashable: Any]) throws -> Int {
    let store = try OpenStore(url, SampleStore.model(), options: options)
    let count = try store.context.performAndWait {
      try store.context.all("Player", "name BEGINSWITH 'player '").count
    }
    try store.close()
    return count
  }

  @Test func `A store with a large hot journal is not read until SQLite rolled it back`() throws {
    let reads: [() throws -> Void] = [
      { _ = try count([NSReadOnlyPersistentStoreOption: true]) },
      { _ = try count([immutableStoreOption: true]) },
      {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
          ofType: NSSQLiteStoreType, at: url)
      },
      { _ = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url) },
    ]
    let bytes = try Data(contentsOf: url)
    for (number, read) in reads.enumerated() {
      let error = failure { try read() }
      #expect(error?.code == NSPersistentStoreOpenError, "\(number)")
      #expect(
        error?.localizedDescription.contains("\(url.path)-journal has 1073741825 bytes") == true,
        "\(number): \(String(describing: error))")
    }
    #expect(try Data(contentsOf: url) == bytes)
    #expect(FileManager.default.fileExists(atPath: url.path + "-journal"))
    #expect(try count([:]) == 500)
    #expect(!FileManager.default.fileExists(atPath: url.path + "-journal"))
    #expect(try count([NSReadOnlyPersistentStoreOption: true]) == 500)
  }

  // Source: sqlite.org/pragma.html, "PRAGMA journal_mode", PERSIST. The journal of a transaction that has ended stays,
  // with a beginning of zeros.
  @Test func `A large journal of a transaction that has ended does not prevent reading`() throws {
    // SQLite rolls back the unfinished transaction.
    _ = try PlainDatabase(url).values("SELECT COUNT(*) FROM ZPLAYER")
    let journal = URL(fileURLWithPath: url.path + "-journal")
    try Data(repeating: 0, count: 512).write(to: journal)
    let isExtended = truncate(journal.path, (1 << 30) + 1) == 0
    try #require(isExtended)
    #expect(try count([NSReadOnlyPersistentStoreOption: true]) == 500)
    #expect(try count([immutableStoreOption: true]) == 500)
  }
}
