import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct HistoryCommandTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 20)
  }

  /// Saves a team through a coordinator that records history.
  private func insertTeam() throws {
    let url = URL(fileURLWithPath: store)
    let model = try #require(try NSPersistentStoreCoordinator.cachedModel(ofStoreAt: url))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let added = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentHistoryTrackingKey: true as NSNumber])
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.name = "import"
      context.transactionAuthor = "importer"
      let team = NSEntityDescription.insertNewObject(forEntityName: "Team", into: context)
      team.setValue("Reds", forKey: "name")
      try context.save()
    }
    try coordinator.remove(added)
  }

  @Test func `Changes by the tool are recorded and shown if the store keeps history`() throws {
    try insertTeam()
    #expect(
      ToolRun.coredata("update", store, "Team", "--where", "name == 'Reds'", "name=Blues").code
        == 0)
    #expect(ToolRun.coredata("delete", store, "Team", "--where", "name == 'Blues'").code == 0)
    let all = ToolRun.coredata("history", store, "--format", "json")
    #expect(all.code == 0)
    let lines = all.output.split(separator: "\n").map(String.init)
    try #require(lines.count == 3)
    for (number, line) in lines.enumerated() {
      #expect(line.hasPrefix("{\"transaction\":\(number + 1),\"time\":\"20"))
    }
    #expect(lines[0].contains("\"author\":\"importer\",\"context\":\"import\""))
    #expect(lines[0].contains("\"change\":\"insert\",\"row\":\"Team/p"))
    #expect(lines[1].contains("\"change\":\"update\""))
    #expect(lines[1].hasSuffix("\"details\":\"name\"}"))
    #expect(lines[2].contains("\"change\":\"delete\""))
    let last = ToolRun.coredata("history", store, "--after", "2", "--format", "json")
    #expect(last.output == lines[2] + "\n")
    let first = ToolRun.coredata("history", store, "--limit", "1", "--format", "json")
    #expect(first.output == lines[0] + "\n")
    let table = ToolRun.coredata("history", store)
    #expect(table.output.hasPrefix("transaction  time "))
  }

  @Test func `A store without history is reported as such`() {
    let run = ToolRun.coredata("history", store)
    #expect(run.code == 65)
    #expect(run.errors.contains("has no persistent history"))
    #expect(ToolRun.coredata("insert", store, "Team", "name=A").code == 0)
    #expect(ToolRun.coredata("history", store).code == 65)
  }
}
