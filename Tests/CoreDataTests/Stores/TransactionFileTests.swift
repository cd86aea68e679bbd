import Foundation
import StoreEngine
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// The value files that a transaction writes stay if it is committed, and are removed if it is not.
@Suite("Files of values and the transaction that writes them")
struct TransactionFileTests {
  private static let data = Data(count: 200_000)
  private let folder: TemporaryFolder
  private let url: URL
  private let connection: SQLiteConnection

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    connection = try SQLiteConnection(path: url.path, mode: .readWriteCreate, busyTimeout: 0)
    try connection.execute("CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, ZDATA BLOB)")
    // This insertion succeeds, because no other connection holds a lock and the folder can be read.
    try insertRow()
    #expect(try files().count == 1)
  }

  /// Inserts a row whose value is in a file, in a separate transaction.
  private func insertRow() throws {
    try WriteTransaction.run(on: connection, of: url, use: ExternalUse.of(url)) { transaction in
      let cell = try transaction.files.column(Self.data)
      try connection.run("INSERT INTO ZITEM (ZDATA) VALUES (?)", [.data(cell)])
    }
  }

  private func files() throws -> [String] { try ExternalFiles(store: url).names() }

  @Test(
    .enabled(
      if: OrdinaryUser.isAvailable, "root reads every folder, and no other user is available"))
  func `Files that cannot be synced to the disk are removed`() throws {
    let before = try files()
    let path = ExternalStorage(store: url).folder.path
    try OrdinaryUser.own(folder.url)
    // Files can be written and removed, but their folder cannot be opened for fsync.
    try FileManager.default.setAttributes([.posixPermissions: 0o300], ofItemAtPath: path)
    let error = OrdinaryUser.run { #expect(throws: NSError.self) { try insertRow() } }
    #expect(error?.domain == NSCocoaErrorDomain)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    #expect(try files() == before)
    #expect(try connection.integer("SELECT COUNT(*) FROM ZITEM") == 1)
  }

  @Test func `Files are removed if another connection's lock prevents the commit`() throws {
    let before = try files()
    let reader = try PlainDatabase(url)
    try reader.execute("BEGIN")
    _ = try reader.values("SELECT Z_PK FROM ZITEM")
    let error = #expect(throws: SQLiteError.self) { try insertRow() }
    #expect(error?.sql == "COMMIT")
    #expect(try files() == before)
    try reader.execute("COMMIT")
    try insertRow()
    #expect(try files().count == 2)
  }

  @Test func `Files are removed if a constraint prevents the commit`() throws {
    try connection.execute("PRAGMA foreign_keys = ON")
    try connection.execute(
      "CREATE TABLE late (pk INTEGER REFERENCES ZITEM (Z_PK) DEFERRABLE INITIALLY DEFERRED)")
    try connection.execute(
      "CREATE TRIGGER broken AFTER INSERT ON ZITEM BEGIN INSERT INTO late VALUES (-1); END")
    let before = try files()
    let error = #expect(throws: SQLiteError.self) { try insertRow() }
    #expect(error?.sql == "COMMIT")
    #expect(try files() == before)
    try connection.execute("DROP TRIGGER broken")
    try insertRow()
    #expect(try files().count == 2)
  }

  @Test func `Files of a save whose history cannot be written are removed`() throws {
    let model = SampleStack.makeModel()
    let portrait = SampleStack.attribute("portrait", .binaryDataAttributeType)
    portrait.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Player"]?.properties.append(portrait)
    let stack = try HistoryStack.onFile(model: model)
    func files() throws -> [String] { try ExternalFiles(store: stack.url).names() }
    // The last statement before COMMIT is the one that records the last key of the history.
    try PlainDatabase(stack.url).execute(
      "CREATE TRIGGER refuse BEFORE UPDATE ON Z_PRIMARYKEY WHEN NEW.Z_ENT = 16001"
        + " BEGIN SELECT RAISE(ABORT, 'no'); END")
    stack.context.insert("Player", ["name": "Ann", "portrait": Self.data])
    #expect(throws: NSError.self) { try stack.context.save() }
    #expect(try files() == [])
    try PlainDatabase(stack.url).execute("DROP TRIGGER refuse")
    try stack.context.save()
    #expect(try files().count == 1)
  }
}
