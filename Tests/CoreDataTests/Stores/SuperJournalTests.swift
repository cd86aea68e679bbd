import CoreData
import Testing

/// Rollback journals that refer to a file. SQLite takes this file for the super-journal of a transaction over several
/// databases, and removes it when it rolls the journal back (sqlite.org/atomiccommit.html, "Multi-file Commit").
@Suite struct SuperJournalTests {
  enum Journal: CaseIterable {
    /// With the beginning of a transaction that a process did not end.
    case unfinished
    /// With the name only, which suffices for SQLite.
    case name
    /// With the zeros of a transaction that has ended. SQLite finds the name when it rolls back a later transaction.
    case ended

    private static let start: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]

    /// Writes a journal that refers to a file at its end, in the form that SQLite reads (pager.c, `readSuperJournal`).
    func write(besides store: URL, naming file: URL) throws {
      func bytes(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: number).bigEndian) { Array($0) }
      }
      let name = Array(file.path.utf8)
      let sum = name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
      let beginning =
        switch self {
        case .unfinished: Self.start + [UInt8](repeating: 0, count: 504)
        case .name: [UInt8]()
        case .ended: [UInt8](repeating: 0, count: 1_000_000)
        }
      try Data(beginning + name + bytes(name.count) + bytes(sum) + Self.start)
        .write(to: URL(fileURLWithPath: store.path + "-journal"))
    }
  }

  private let folder: TemporaryFolder
  private let url: URL
  /// A file of another program.
  private let letter: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    letter = folder.file("letter.txt")
    try Data("Dear Bob".utf8).write(to: letter)
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      store.context.insert("Club", ["name": "Harbour"])
      try store.context.save()
    }
    try store.close()
  }

  @Test(arguments: Journal.allCases, ["DELETE", "WAL"])
  func `A store whose journal refers to a file is not written, and the file stays`(
    _ journal: Journal, _ mode: String
  ) throws {
    let (other, new) = (folder.file("other.sqlite"), folder.file("new.sqlite"))
    try FileManager.default.copyItem(at: url, to: other)
    // A repair would correct the keys.
    try PlainDatabase(url).execute(
      "PRAGMA journal_mode = \(mode); UPDATE Z_PRIMARYKEY SET Z_MAX = 0")
    for store in [url, new] { try journal.write(besides: store, naming: letter) }
    let model = SampleStore.model()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let actions: [() throws -> Void] = [
      { try OpenStore(url, model).close() },
      { try OpenStore(new, model).close() },
      {
        try NSPersistentStoreCoordinator.setMetadata(
          [:], forPersistentStoreOfType: NSSQLiteStoreType, at: url)
      },
      { _ = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: true) },
      {
        try coordinator.replacePersistentStore(
          at: url, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
      },
      {
        try coordinator.replacePersistentStore(
          at: new, withPersistentStoreFrom: other, ofType: NSSQLiteStoreType)
      },
      { try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType) },
    ]
    let before = try folder.state()
    for (number, action) in actions.enumerated() {
      let error = failure { try action() }
      #expect(error?.code == NSFileReadCorruptFileError, "\(number)")
      #expect(error?.localizedDescription.contains(letter.path) == true, "\(number)")
      #expect(try folder.state() == before, "\(number)")
    }
    if journal == .ended { return }
    // SQLite itself removes the file.
    _ = try PlainDatabase(url).values("SELECT * FROM ZCLUB")
    #expect(!FileManager.default.fileExists(atPath: letter.path))
  }

  @Test(arguments: Journal.allCases, ["DELETE", "WAL"])
  func `A store whose journal refers to a file can be read and forcibly destroyed`(
    _ journal: Journal, _ mode: String
  ) throws {
    try PlainDatabase(url).execute("PRAGMA journal_mode = \(mode)")
    try journal.write(besides: url, naming: letter)
    let before = try folder.state()
    let store = try OpenStore(
      url, SampleStore.model(), options: [NSReadOnlyPersistentStoreOption: true])
    let names = try store.context.performAndWait {
      try store.context.all("Club").map { $0.value(forKey: "name") as? String }
    }
    #expect(names == ["Harbour"])
    try store.close()
    #expect(try folder.state() == before)
    try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
      .destroyPersistentStore(
        at: url, ofType: NSSQLiteStoreType, options: [NSPersistentStoreForceDestroyOption: true])
    // Destroying a store leaves the files of a write-ahead log, which are empty.
    let log = mode == "WAL" ? ["store.sqlite-shm", "store.sqlite-wal"] : []
    #expect(try folder.state().keys.sorted() == ["letter.txt", "store.sqlite"] + log)
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test(.timeLimit(.minutes(60)), arguments: Journal.allCases)
  func `A pipe that a journal refers to blocks nothing`(_ journal: Journal) throws {
    let pipe = folder.file("pipe")
    let isMade = mkfifo(pipe.path, 0o600) == 0
    try #require(isMade)
    try journal.write(besides: url, naming: pipe)
    let error = failure { try OpenStore(url, SampleStore.model()).close() }
    #expect(error?.code == NSFileReadCorruptFileError)
  }
}
