import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ExplainTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 100)
  }

  @Test func `--explain prints the statement, its parameters and the plan, and no rows`() {
    let run = ToolRun.coredata(
      "fetch", store, "Person", "--where", "lastName == 'Murphy' AND age > 30", "--sort", "age",
      "--limit", "5", "--explain")
    #expect(run.code == 0)
    #expect(run.errors == "model: the store's own copy\n")
    #expect(
      run.output == """
        SELECT t0.Z_PK, t0.Z_OPT, t0."ZAGE", t0."ZDISPLAYORDER", t0."ZFIRSTNAME", t0."ZLASTNAME"
        FROM "ZPERSON" t0
        WHERE (t0."ZLASTNAME" = ?1
          AND t0."ZAGE" > ?2)
        ORDER BY t0."ZAGE" ASC, t0.Z_PK ASC
        LIMIT ?3

        parameters
        ?1  text     'Murphy'
        ?2  integer  30
        ?3  integer  5

        plan
        ├─ SEARCH t0 USING INDEX Z_Person_byName (ZLASTNAME=?)
        └─ USE TEMP B-TREE FOR ORDER BY

        finds rows by Z_Person_byName

        """)
  }

  @Test func `The explanation as JSON is one object`() throws {
    let run = ToolRun.coredata(
      "fetch", store, "Team", "--where", "ANY players.name CONTAINS 'i' OR name = 'Ö'",
      "--explain", "--format", "json")
    #expect(run.code == 0)
    #expect(run.output.split(separator: "\n").count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect((object["store"] as? String)?.hasSuffix("/Contacts.sqlite") == true)
    #expect((object["sql"] as? String)?.hasPrefix("SELECT t0.Z_PK") == true)
    #expect((object["parameters"] as? [[String: String]])?.last == ["type": "text", "value": "Ö"])
    #expect(object["scans"] as? [String] == ["t0"])
    let plan = try #require(object["plan"] as? [[String: Any]])
    #expect(plan.first?["text"] as? String == "SCAN t0")
    #expect((plan.last?["steps"] as? [[String: Any]])?.count == 1)
  }

  @Test
  func `With sections, the explained statement orders the rows by section first`() {
    let run = ToolRun.coredata(
      "fetch", store, "Player", "--section", "team.name", "--sort", "-age", "--explain")
    #expect(run.code == 0)
    #expect(
      run.output.hasPrefix(
        """
        SELECT t0.Z_PK, t0.Z_ENT, t0.Z_OPT, t1."ZNAME", t0."ZAGE", t1."ZNAME"
        FROM "ZPLAYER" t0
        LEFT JOIN "ZTEAM" t1 ON t1.Z_PK = t0."ZTEAM"
        ORDER BY t1."ZNAME" ASC, t0."ZAGE" DESC, t0.Z_PK ASC

        plan
        ├─ SCAN t0
        """))
    #expect(run.output.hasSuffix("\n\nfinds rows by INTEGER PRIMARY KEY; reads every row of t0\n"))
  }

  @Test func `A subquery is indented, and its BETWEEN stays on one line`() {
    let run = ToolRun.coredata(
      "fetch", store, "Team", "--where",
      "name == 'A' AND SUBQUERY(players, $p, $p.age BETWEEN {20, 30} AND $p.name != nil).@count > 2",
      "--explain")
    #expect(run.code == 0)
    #expect(
      run.output.hasPrefix(
        """
        SELECT t0.Z_PK, t0.Z_OPT, t0."ZNAME"
        FROM "ZTEAM" t0
        WHERE (t0."ZNAME" = ?1
          AND (
            SELECT COUNT(*)
            FROM "ZPLAYER" t1
            WHERE t1."ZTEAM" = t0.Z_PK
              AND (((t1."ZAGE" BETWEEN ?2 AND ?3)
                AND t1."ZNAME" IS NOT NULL))
          ) > ?4)
        ORDER BY t0.Z_PK ASC

        parameters
        """), "\(run.output)")
    #expect(run.output.contains("CORRELATED SCALAR SUBQUERY"))
  }

  @Test func `--explain refuses an unknown attribute, CSV, and a limit of 0`() {
    let run = ToolRun.coredata("fetch", store, "Person", "--where", "agee > 3", "--explain")
    #expect(run.code == 64)
    #expect(run.output == "")
    #expect(run.errors.contains("agee"))
    let none = ToolRun.coredata("fetch", store, "Person", "--explain", "--limit", "0")
    #expect(none.code == 64)
    #expect(
      none.errors == "error: --limit 0 fetches no rows, so --explain has no statement to show\n")
    let csv = ToolRun.coredata("fetch", store, "Person", "--explain", "--format", "csv")
    #expect(csv.code == 64)
    #expect(csv.errors == "error: --explain supports the formats table and json, not csv\n")
  }
}
