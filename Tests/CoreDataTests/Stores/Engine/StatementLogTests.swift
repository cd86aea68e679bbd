import Testing

@testable import CoreData

/// Source: "Core Data SQLDebug Log Levels" (blog.raymccrae.scot, December 2017).
@Suite("The log of statements")
struct StatementLogTests {
  @Test("The launch argument and the environment say what is logged")
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

  #if os(Linux)
    private static let variable = "OPENCOREDATA_STATEMENTS_OF"

    @Test(
      "another process uses a store with the option",
      .enabled(if: OtherProcess.told(StatementLogTests.variable) != nil))
    func otherProcess() throws {
      let level = try #require(Int(OtherProcess.told(Self.variable) ?? ""))
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

    @Test("Each statement is logged with its time and rows; values and plans when asked for")
    func option() throws {
      func log(_ level: Int) throws -> String {
        try OtherProcess.run(
          "StatementLogTests/otherProcess", telling: Self.variable, "\(level)")
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
