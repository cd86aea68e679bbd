import CoreData
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct CopyCommandTests {
  private let temporary: TemporaryStore
  private let path: String

  init() throws {
    temporary = try TemporaryStore()
    path = temporary.sample()
  }

  private func rows(_ path: String, _ entity: String = "Person") throws -> [[String?]] {
    try PlainSQL(path).rows("SELECT * FROM Z\(entity.uppercased()) ORDER BY Z_PK")
  }

  @Test(arguments: ["copy", "backup"])
  func `A copy is equal to its store`(_ name: String) throws {
    let copy = temporary.path("copy.sqlite")
    let run = ToolRun.coredata(name, path, copy)
    #expect(run.code == 0 && run.errors == "", "\(run)")
    #expect(run.output.hasPrefix("\(copy): "))
    #expect(try rows(copy) == rows(path))
    #expect(ToolRun.coredata("verify", copy).code == 0)
  }

  @Test func `A copy into a folder does not overwrite an existing file`() throws {
    let folder = temporary.path("backups")
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false)
    #expect(ToolRun.coredata("copy", path, folder).code == 0)
    let copy = folder + "/Contacts.sqlite"
    #expect(try rows(copy) == rows(path))
    let again = ToolRun.coredata("copy", path, folder)
    #expect(again.code == 64)
    #expect(again.errors.hasPrefix("error: '\(copy)' already exists\n"))
    _ = try PlainSQL(path).rows("DELETE FROM ZPERSON")
    #expect(ToolRun.coredata("copy", path, folder, "--replace").code == 0)
    #expect(try rows(copy) == [])
  }

  @Test func `A file that is not a store is not copied`() throws {
    let text = temporary.path("text.sqlite")
    try "This is a text of some length, and no database.".write(
      toFile: text, atomically: true, encoding: .utf8)
    let copy = temporary.path("copy.sqlite")
    #expect(ToolRun.coredata("copy", text, copy).code == 65)
    #expect(!FileManager.default.fileExists(atPath: copy))
  }

  /// The progress of another thread. The test reads it only after that thread has stopped.
  private final class Saving: @unchecked Sendable {
    var count = 0
    var error: (any Error)?
  }

  @Test func `A copy made while a program saves holds the state of one moment`() throws {
    let model = try #require(
      try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: URL(fileURLWithPath: path)))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path))
    let saving = Saving()
    let began = DispatchSemaphore(value: 0)
    let stop = DispatchSemaphore(value: 0)
    let stopped = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Each save inserts three rows with one name.
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      context.performAndWait {
        do {
          while stop.wait(timeout: .now()) == .timedOut {
            for _ in 0..<3 {
              NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
                .setValue("save \(saving.count + 1)", forKey: "lastName")
            }
            try context.save()
            saving.count += 1
            if saving.count == 1 { began.signal() }
          }
        } catch {
          saving.error = error
        }
      }
      began.signal()
      stopped.signal()
    }
    began.wait()
    var copied: [Int] = []
    do {
      defer {
        stop.signal()
        stopped.wait()
      }
      for number in 0..<10 {
        let copy = temporary.path("copy\(number).sqlite")
        #expect(ToolRun.coredata("copy", path, copy).code == 0)
        let saves = try PlainSQL(copy).rows(
          "SELECT COUNT(*) FROM ZPERSON WHERE ZLASTNAME LIKE 'save %' GROUP BY ZLASTNAME")
        #expect(saves.allSatisfy { $0 == ["3"] }, "\(saves)")
        copied.append(saves.count)
        #expect(try PlainSQL(copy).rows("PRAGMA integrity_check") == [["ok"]])
      }
    }
    #expect(saving.error == nil, "\(String(describing: saving.error))")
    // The first copy contains at least the save before it, and no copy contains fewer saves than an earlier one.
    #expect(copied.first ?? 0 >= 1, "\(copied)")
    #expect(copied == copied.sorted() && copied.last ?? 0 <= saving.count, "\(copied)")
  }
}
