import CoreData
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct VerifyCommandTests {
  private let temporary: TemporaryStore
  private let path: String

  init() throws {
    temporary = try TemporaryStore()
    path = temporary.sample()
  }

  @Test func `An intact store has no errors`() {
    let run = ToolRun.coredata("verify", path)
    #expect(run == ToolRun(code: 0, output: "\(path): no problems found\n", errors: ""))
    #expect(ToolRun.coredata("verify", path, "--format", "json").output == "")
  }

  @Test func `The output lists each error, whether it can be repaired, and the repair`() throws {
    _ = try PlainSQL(path).rows("DELETE FROM ZTEAM WHERE Z_PK = 1")
    let found = ToolRun.coredata("verify", path)
    #expect(found.code == 65)
    #expect(found.output.hasPrefix("problem  Player.team  "), "\(found.output)")
    #expect(found.output.contains(" to a missing row of Team"))
    #expect(
      found.errors == "error: \(path): 1 problem\nAll of them can be fixed with --repair\n")
    let json = ToolRun.coredata("verify", path, "--format", "json")
    #expect(json.code == 65)
    #expect(json.output.hasPrefix(#"{"count":"#))
    #expect(json.output.contains(#""entity":"Player","isProblem":true,"isRepairable":true"#))
    let repaired = ToolRun.coredata("verify", path, "--repair")
    #expect(repaired.code == 0, "\(repaired)")
    #expect(repaired.output.hasPrefix("repaired  Player.team  "))
    #expect(repaired.output.hasSuffix("\(path): no problems left, 1 repaired\n"))
    let prefix = "copy of the original store: "
    #expect(repaired.errors.hasPrefix(prefix))
    let backup = repaired.errors.dropFirst(prefix.count).dropLast()
    #expect(ToolRun.coredata("verify", String(backup)).code == 65)
    #expect(ToolRun.coredata("verify", path).code == 0)
  }

  @Test func `A file that is not a store and a missing file are errors`() throws {
    #expect(ToolRun.coredata("verify", "/nowhere/a.sqlite").code == 65)
    let text = temporary.path("text.sqlite")
    try "This is a text of some length, and no database.".write(
      toFile: text, atomically: true, encoding: .utf8)
    #expect(ToolRun.coredata("verify", text).code == 65)
    #expect(ToolRun.coredata("verify", text, "--repair").code == 65)
  }

  @Test func `The launch argument that logs statements is accepted by a command`() {
    let run = ToolRun.coredata("verify", path, "-com.apple.CoreData.SQLDebug", "0")
    #expect(run.code == 0)
  }

  // Runs the tool in another process, because the launch argument applies to a whole process.
  @Test func `The launch argument logs each statement, separate from the output`() throws {
    func run(_ launchArguments: String...) throws -> (output: [String], errors: [String]) {
      let tool = try RunningTool(
        ["fetch", path, "Team", "--columns", "name", "--limit", "1", "--format", "json"]
          + launchArguments)
      var output: [String] = []
      while let line = tool.line() { output.append(line) }
      let end = try tool.end()
      #expect(end.code == 0, "\(end.errors)")
      return (output, end.errors.split(separator: "\n").map(String.init))
    }
    let silent = try run()
    #expect(silent.output.count == 1)
    #expect(silent.errors == ["model: the store's own copy"])
    let logged = try run("-com.apple.CoreData.SQLDebug", "1")
    #expect(logged.output == silent.output)
    // The line after a statement holds its duration and number of rows.
    let isLogged = zip(logged.errors, logged.errors.dropFirst()).contains { sql, figures in
      sql.contains("sql: SELECT") && sql.contains("FROM \"ZTEAM\"")
        && figures.hasPrefix("annotation: execution time: ") && figures.hasSuffix("s for 1 rows")
    }
    #expect(isLogged, "\(logged.errors)")
    // SQLite's plans are logged at a higher level.
    #expect(!logged.errors.contains { $0.hasPrefix("plan: ") })
    let planned = try run("-com.apple.CoreData.SQLDebug", "4")
    #expect(planned.output == silent.output)
    #expect(planned.errors.contains { $0.hasPrefix("plan: ") })
    let none = try run("-com.apple.CoreData.SQLDebug", "0")
    #expect(none.output == silent.output && none.errors == silent.errors)
  }
}
