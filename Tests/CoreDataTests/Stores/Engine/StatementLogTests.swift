import Synchronization
import Testing

@testable import CoreData
@testable import SQLiteEngine

/// Source: "Core Data SQLDebug Log Levels" (blog.raymccrae.scot, December 2017).
@Suite("The statement log")
struct StatementLogTests {
  @Test("The launch argument and the environment set the log level")
  func levels() {
    func level(_ arguments: [String], _ environment: [String: String] = [:]) -> Int {
      StatementLog(arguments: arguments, environment: environment).level
    }
    #expect(level(["program"]) == 0)
    #expect(level(["program", "-com.apple.CoreData.SQLDebug", "3"]) == 3)
    #expect(level(["program", "-com.apple.CoreData.SQLDebug"]) == 0)
    #expect(level(["program"], ["OPENCOREDATA_SQL_DEBUG": "1"]) == 1)
    #expect(
      level(["program", "-com.apple.CoreData.SQLDebug", "0"], ["OPENCOREDATA_SQL_DEBUG": "1"]) == 0)
  }

  @Test("Observing statements and their plans does not change the result of a save")
  func observing() throws {
    let observed = Mutex<[StatementObserver.Statement]>([])
    let observer = StatementObserver { statement in observed.withLock { $0.append(statement) } }
    let folder = try TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Store.sqlite"),
      options: [statementObserverOption: observer])
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let ann = context.insert("Player", ["name": "Ann"])
      try context.save()
      // A save checks how many rows its last statement changed. Reading that statement's plan runs another statement,
      // which must not affect the number.
      ann.setValue("Bea", forKey: "name")
      try context.save()
      context.delete(ann)
      try context.save()
    }
    let update = try #require(
      observed.withLock { $0.first { $0.sql.hasPrefix("UPDATE") && $0.sql.contains("'Bea'") } })
    #expect(update.rows == 1 && update.plan.contains { $0.hasPrefix("SEARCH") })
  }

  #if os(Linux)
    private static let variable = "OPENCOREDATA_STATEMENTS_OF"

    @Test(
      "Helper: in another process, a store is used with the option that sets the log level",
      .enabled(if: OtherProcess.argument(StatementLogTests.variable) != nil))
    func otherProcess() throws {
      let level = try #require(Int(OtherProcess.argument(Self.variable) ?? ""))
      let opened = try EngineStore([sqlDebugStoreOption: level])
      try opened.save("Ann")
      #expect(try opened.names() == ["Ann"])
      try opened.save("Bob")
      try opened.store.pool.write { connection in
        try connection.execute("UPDATE ZPLAYER SET ZAGE = 7")
        let table = try connection.statement("CREATE TEMP TABLE other (a)")
        try table.run()
      }
    }

    @Test(
      "Each statement is logged with its time and rows, and at higher levels with values and plan")
    func option() throws {
      func log(_ level: Int) throws -> String {
        try OtherProcess.run(
          "StatementLogTests/otherProcess", setting: Self.variable, to: "\(level)")
      }
      let none = try log(0)
      #expect(!none.contains("sql: "))
      let texts = try log(1)
      #expect(texts.contains("sql: SELECT"))
      #expect(texts.contains("s for 1 rows"))
      #expect(texts.contains("sql: BEGIN IMMEDIATE"))
      #expect(!texts.contains("'Ann'") && !texts.contains("plan: "))
      let table = texts.split(separator: "CREATE TEMP TABLE", maxSplits: 1).last
      #expect(table?.split(separator: "\n").dropFirst().first?.hasSuffix("for 0 rows") == true)
      let values = try log(2)
      #expect(values.contains("'Ann'") && !values.contains("plan: "))
      #expect(try log(4).contains("plan: SCAN"))
    }
  #endif
}
