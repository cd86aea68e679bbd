import Foundation
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// The copy of the model in a store counts as unreadable only if the copy itself is.
@Suite("Reading the copy of the model")
struct ReadableModelTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try OpenStore(
      url, SampleStore.model(), options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    try store.close()
  }

  private func read() throws -> (model: NSManagedObjectModel?, error: NSError?) {
    let connection = try SQLiteConnection(path: url.path, mode: .readWrite, busyTimeout: 0)
    defer { connection.close() }
    return try SQLiteStore.readableModel(on: connection, of: url)
  }

  @Test func `An intact copy is returned without an error`() throws {
    let (model, error) = try read()
    #expect(model?.entitiesByName["Player"] != nil && error == nil)
  }

  @Test(arguments: [
    "UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'",
    "ALTER TABLE Z_MODELCACHE RENAME COLUMN Z_CONTENT TO content",
  ])
  func `A damaged copy is described by its error`(_ damage: String) throws {
    try PlainDatabase(url).execute(damage)
    let (model, error) = try read()
    #expect(model == nil && error?.domain == NSCocoaErrorDomain)
  }

  @Test func `A lock of another connection is not an error of the copy`() throws {
    let writer = try PlainDatabase(url)
    try writer.execute("BEGIN EXCLUSIVE")
    let error = #expect(throws: SQLiteError.self) { _ = try read() }
    // The number is that of SQLITE_BUSY.
    #expect(error?.primaryCode == 5)
    try writer.execute("ROLLBACK")
    let model = try read().model
    #expect(model != nil)
  }
}
