import Testing

@testable import CoreData
@testable import SQLiteEngine

@Suite("Verification and copies of stores with external files")
struct ExternalVerificationTests {
  private let folder: TemporaryFolder
  private let url: URL
  private let files: URL
  private let name = "01234567-89AB-CDEF-0123-456789ABCDEF"

  /// Makes a player with a portrait in a file, as Apple's Core Data writes it.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    files = ExternalStorage(store: url).folder
    let store = try OpenStore(url, SampleStore.model())
    try store.context.performAndWait {
      store.context.insert("Player", ["name": "Ann"])
      try store.context.save()
    }
    try store.close()
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data("portrait".utf8).write(to: files.appendingPathComponent(name))
    try PlainDatabase(url).execute(
      "UPDATE ZPLAYER SET ZPORTRAIT = CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)")
  }

  private func verify(_ url: URL, repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }

  @Test("A missing file is reported")
  func missing() throws {
    #expect(try verify(url).findings == [])
    try FileManager.default.removeItem(at: files.appendingPathComponent(name))
    let finding = try #require(try verify(url).findings.first)
    #expect(finding.kind == .missingFile)
    #expect(finding.description.hasPrefix("Player.portrait: 1 value is in a file that is not in"))
    #expect(!finding.isRepairable)
  }

  @Test("The files of a table with many columns are all copied, and none counts as unused")
  func manyColumns() throws {
    let attributes = (0..<120).map { number in
      let attribute = SampleStack.attribute("a\(number)", .binaryDataAttributeType)
      attribute.allowsExternalBinaryDataStorage = true
      return attribute
    }
    let wide = NSEntityDescription()
    wide.name = "Wide"
    wide.properties = attributes
    let model = NSManagedObjectModel()
    model.entities = [wide]
    let url = folder.file("wide.sqlite")
    let store = try OpenStore(url, model)
    try store.context.performAndWait {
      let object = store.context.insert("Wide")
      for attribute in attributes {
        object.setValue(Data(repeating: 7, count: 200_000), forKey: attribute.name)
      }
      try store.context.save()
    }
    try store.close()
    let copy = folder.file("wide copy.sqlite")
    try NSPersistentStoreCoordinator(managedObjectModel: model)
      .replacePersistentStore(
        at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
    for url in [url, copy] {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: ExternalStorage(store: url).folder.path)
      #expect(files.count == attributes.count)
      #expect(try verify(url).findings == [])
    }
  }

  @Test func `A file that is too large for a value is reported`() throws {
    let handle = try FileHandle(forWritingTo: files.appendingPathComponent(name))
    try handle.truncate(atOffset: 3 << 30)
    try handle.close()
    let finding = try #require(try verify(url).findings.first)
    #expect(finding.kind == .unreadableFile && finding.kind.isProblem && !finding.isRepairable)
    #expect(
      finding.description.hasPrefix(
        "Player.portrait: 1 value is in a file that cannot be read: \(name): "))
    #expect(finding.message.hasSuffix("\(name) has more than 2147483648 bytes (key 1)"))
    #expect(try verify(url, repairing: true).backup == nil)
  }

  @Test("A file without a row is removed once it is a day old, and kept in the backup")
  func unused() throws {
    let unused = files.appendingPathComponent(UUID().uuidString)
    try Data("waste".utf8).write(to: unused)
    #expect(try verify(url).findings.map(\.kind) == [.recentFile])
    #expect(try verify(url, repairing: true).backup == nil)
    #expect(FileManager.default.fileExists(atPath: unused.path))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: unused.path)
    let result = try verify(url, repairing: true)
    #expect(result.isIntact)
    #expect(!FileManager.default.fileExists(atPath: unused.path))
    #expect(FileManager.default.fileExists(atPath: files.appendingPathComponent(name).path))
    let backup = try #require(result.backup)
    let kept = ExternalStorage(store: backup).folder
      .appendingPathComponent(unused.lastPathComponent)
    #expect(FileManager.default.fileExists(atPath: kept.path))
    #expect(try verify(url).findings == [])
  }

  @Test(
    "A file that any table of the store's file refers to is in use",
    arguments: ["ANSCKRECORDMETADATA", "ACHANGE", "notes"])
  func otherTables(_ table: String) throws {
    let used = files.appendingPathComponent(UUID().uuidString)
    try Data("used".utf8).write(to: used)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -90_000)], ofItemAtPath: used.path)
    let cell = "CAST(x'02' || CAST('\(used.lastPathComponent)' AS BLOB) || x'00' AS BLOB)"
    try PlainDatabase(url).execute(
      "CREATE TABLE \(table) (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB);"
        + " INSERT INTO \(table) VALUES (1, \(cell)); CREATE VIRTUAL TABLE words USING fts5(text)")
    _ = try verify(url, repairing: true)
    #expect(FileManager.default.fileExists(atPath: used.path))
  }

  /// The state of the writing thread. Each side reads it only while the other one waits.
  private final class Writing: @unchecked Sendable {
    var count = 0
    var error: (any Error)?
  }

  @Test("A copy has the files that its rows refer to, even files added while the copy is made")
  func lateFiles() throws {
    let copy = folder.file("copy.sqlite")
    let writing = Writing()
    let began = DispatchSemaphore(value: 0)
    let stop = DispatchSemaphore(value: 0)
    let stopped = DispatchSemaphore(value: 0)
    let (url, files) = (url, files)
    Thread.detachNewThread {
      // Like a save, this thread writes the new file, then the row, and then removes the old file.
      do {
        let plain = try PlainDatabase(url)
        try plain.execute("PRAGMA busy_timeout = 5000")
        var last: String?
        while stop.wait(timeout: .now()) == .timedOut {
          let name = UUID().uuidString
          try Data("late".utf8).write(to: files.appendingPathComponent(name))
          try plain.execute(
            "UPDATE ZPLAYER SET ZPORTRAIT ="
              + " CAST(x'02' || CAST('\(name)' AS BLOB) || x'00' AS BLOB)")
          if let last {
            try FileManager.default.removeItem(at: files.appendingPathComponent(last))
          }
          last = name
          writing.count += 1
          if writing.count == 1 { began.signal() }
        }
      } catch {
        writing.error = error
      }
      began.signal()
      stopped.signal()
    }
    began.wait()
    var portraits: Set<Data> = []
    do {
      defer {
        stop.signal()
        stopped.wait()
      }
      for _ in 0..<14 {
        try NSPersistentStoreCoordinator(managedObjectModel: SampleStore.model())
          .replacePersistentStore(
            at: copy, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
        let findings = try verify(copy).findings.filter {
          $0.kind != .unusedFile && $0.kind != .recentFile
        }
        #expect(findings == [])
        let portrait = try PlainDatabase(copy).values("SELECT ZPORTRAIT FROM ZPLAYER")[0][0].blob
        portraits.insert(try #require(portrait))
      }
    }
    #expect(writing.error == nil, "\(String(describing: writing.error))")
    // The copies have different states, and none has the state before the thread began.
    #expect(portraits.count > 1 && writing.count > 1)
    #expect(portraits.allSatisfy { $0.range(of: Data(name.utf8)) == nil })
  }
}
