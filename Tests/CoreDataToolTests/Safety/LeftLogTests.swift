import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// A program that closes a store while a command reads it cannot move its saves from the log into the file. The command
/// moves them when it ends, unless another program still has the store open.
struct LeftLogTests {
  private let temporary: TemporaryStore
  private let path: String
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  /// Opens a store with more rows than a pipe holds.
  init() throws {
    temporary = try TemporaryStore()
    path = temporary.sample(rows: 10_000)
    let url = URL(fileURLWithPath: path)
    let model = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url))
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
  }

  private func save(age: Int) throws {
    try context.performAndWait {
      let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
      person.setValuesForKeys(["firstName": "A", "lastName": "B", "age": age])
      try context.save()
    }
  }

  private func close() throws {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// Returns the ages in a copy of the file without its log.
  private func copiedAges() throws -> [[String?]] {
    let copy = temporary.path("copy.sqlite")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return try PlainSQL(copy).rows("SELECT ZAGE FROM ZPERSON WHERE ZAGE > 200 ORDER BY ZAGE")
  }

  @Test(.timeLimit(.minutes(60)), arguments: [true, false], [true, false])
  func `Saves of a program that closes the store during a fetch are in the file afterwards`(
    _ savesBefore: Bool, _ closesPipe: Bool
  ) throws {
    if savesBefore { try save(age: 201) }
    let fetch = try RunningTool(["fetch", path, "Person", "--format", "json"])
    #expect(fetch.line()?.hasPrefix("{\"objectID\"") == true)
    if !savesBefore { try save(age: 201) }
    try close()
    if closesPipe {
      try fetch.closeOutput()
      #expect(fetch.endUnread() == 141)
    } else {
      #expect(try fetch.end().code == 0)
    }
    #expect(try copiedAges() == [["201"]])
  }

  @Test func `The log is moved even if the reading ends with an error`() throws {
    #expect(throws: Diagnostic.self) {
      try LeftLog.moving(of: path, model: nil) {
        let reader = try OpenedStore.open(path, model: nil, readOnly: true)
        defer { reader.close() }
        try save(age: 201)
        try close()
        throw Diagnostic(.data, "the reading failed")
      }
    }
    #expect(try copiedAges() == [["201"]])
  }

  /// Returns the size of the log and the time of its last change.
  private func log() throws -> String {
    // Reading the file would release the locks of this process.
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return [FileAttributeKey.size, .modificationDate].map { "\(attributes[$0] ?? "none")" }
      .joined(separator: " ")
  }

  @Test func `The log of a program that still has the store open is left as it is`() throws {
    try save(age: 201)
    let before = try log()
    #expect(try RunningTool.run("info", path).code == 0)
    #expect(try log() == before)
    try close()
    #expect(try copiedAges() == [["201"]])
  }
}
