import CoreData
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct FetchCommandTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 200)
  }

  @Test func `A sorted and filtered fetch prints the rows and the model it used`() {
    let run = ToolRun.coredata(
      "fetch", store, "Person", "--where", "age >= 60 AND lastName BEGINSWITH[cd] 'm'", "--sort",
      "-age,lastName", "--columns", "lastName,age")
    #expect(run.code == 0)
    #expect(run.errors == "model: the store's own copy\n")
    let ages = run.output.split(separator: "\n").dropFirst(2).dropLast()
      .compactMap { Int($0.suffix(3).filter(\.isNumber)) }
    #expect(!ages.isEmpty)
    #expect(ages == ages.sorted(by: >))
    #expect(ages.allSatisfy { $0 >= 60 })
  }

  @Test func `JSON output is one object per line with the columns in order`() {
    let run = ToolRun.coredata(
      "fetch", store, "Player", "--sort", "objectID", "--limit", "1", "--offset", "1", "--columns",
      "objectID,team,team.players,team.objectID", "--format", "json")
    #expect(
      run.output == """
        {"objectID":"Player/p2","team":"Team/p1","team.players":24,"team.objectID":"Team/p1"}

        """)
  }

  @Test func `Sections have headings, and their row counts add up`() {
    let run = ToolRun.coredata(
      "fetch", store, "Customer", "--section", "state", "--sort", "lastName", "--columns",
      "lastName,state")
    #expect(run.code == 0)
    let headings = run.output.split(separator: "\n").filter { $0.hasPrefix("▸ ") }
    let states = headings.map { String($0.dropFirst(2).prefix(2)) }
    #expect(states == states.sorted())
    #expect(run.output.hasSuffix("\n40 rows in \(headings.count) sections\n"))
  }

  @Test(arguments: [("NULL", "(none)"), ("''", "\"\""), ("'(none)'", "\"(none)\"")])
  func `The headings of a nil section and of an empty-string section differ`(
    _ value: String, _ heading: String
  ) throws {
    _ = try PlainSQL(store).rows("UPDATE ZCUSTOMER SET ZSTATE = \(value)")
    let run = ToolRun.coredata(
      "fetch", store, "Customer", "--section", "state", "--columns", "lastName")
    let headings = run.output.split(separator: "\n").filter { $0.hasPrefix("▸ ") }
    #expect(headings.map { $0.split(separator: " ")[1] } == [heading[...]], "\(run)")
  }

  @Test(arguments: ["state", "-state"])
  func `Rows without a value and rows with an empty string are separate sections`(_ sort: String)
    throws
  {
    let sql = try PlainSQL(store)
    _ = try sql.rows("UPDATE ZCUSTOMER SET ZSTATE = 'A'")
    _ = try sql.rows("UPDATE ZCUSTOMER SET ZSTATE = NULL WHERE Z_PK <= 3")
    _ = try sql.rows("UPDATE ZCUSTOMER SET ZSTATE = '' WHERE Z_PK IN (4, 5)")
    let fetch = [
      "fetch", store, "Customer", "--section", "state", "--sort", sort, "--columns", "objectID",
    ]
    let table = ToolRun.coredata(fetch).output.split(separator: "\n").filter { $0.hasPrefix("▸ ") }
    let headings = ["▸ (none) · 3 rows", "▸ \"\" · 2 rows", "▸ A · 35 rows"]
    #expect(table.map(String.init) == (sort == "state" ? headings : headings.reversed()))
    let json = ToolRun.coredata(fetch + ["--format", "json"]).output
    #expect(json.split(separator: #""@section":null,"#).count == 4)
    #expect(json.split(separator: #""@section":"","#).count == 3)
    let csv = ToolRun.coredata(fetch + ["--format", "csv"]).output.split(separator: "\r\n")
    #expect(csv.count { $0.hasPrefix(",") } == 3 && csv.count { $0.hasPrefix("\"\",") } == 2)
  }

  @Test func `In CSV the first column is the section`() {
    let run = ToolRun.coredata(
      "fetch", store, "Player", "--section", "team.name", "--limit", "1", "--columns", "age",
      "--format", "csv")
    #expect(run.output.hasPrefix("@section,age\r\n"))
    #expect(run.output.split(separator: "\r\n").count == 2)
  }

  @Test func `A result without rows is reported in a table and is empty as JSON`() {
    let none = ["fetch", store, "Person", "--where", "age < 0"]
    #expect(ToolRun.coredata(none).output == "No rows\n")
    #expect(ToolRun.coredata(none + ["--format", "json"]).output == "")
    #expect(ToolRun.coredata("fetch", store, "Person", "--limit", "0").output == "No rows\n")
  }

  @Test func `An unknown entity is reported with the nearest name`() {
    let run = ToolRun.coredata("fetch", store, "Persn")
    #expect(run.code == 64)
    #expect(run.output == "")
    #expect(
      run.errors == "error: there is no entity 'Persn' in the store\nDid you mean 'Person'?\n")
  }

  @Test func `The error for a condition that does not parse points at the position with a caret`() {
    let run = ToolRun.coredata("fetch", store, "Person", "--where", "age > 30 AND (name ==")
    #expect(run.code == 64)
    #expect(run.errors.hasPrefix("error: in --where: expected "))
    #expect(run.errors.hasSuffix("  age > 30 AND (name ==\n                       ^\n"))
  }

  @Test func `The error for an unknown key in a condition points at the key with a caret`() {
    let run = ToolRun.coredata(
      "fetch", store, "Person", "--where", "lastName != 'ages' AND ages > 3")
    #expect(run.code == 64)
    #expect(run.errors.contains("in --where: keypath ages not found in entity Person"))
    #expect(
      run.errors.hasSuffix("  lastName != 'ages' AND ages > 3\n                         ^\n"))
  }

  @Test func `A comparison of incompatible types is an error`() {
    let run = ToolRun.coredata("fetch", store, "Person", "--where", "age > 'abc'")
    #expect(run.code == 64)
    #expect(run.errors.contains("age (an integer) cannot be compared with abc (a string)"))
  }

  @Test(arguments: [
    ["--sort", "agee"], ["--sort", "-agee"], ["--columns", "agee"], ["--section", "agee"],
  ])
  func `An unknown key is reported with the option and the nearest name`(option: [String]) {
    let run = ToolRun.coredata(["fetch", store, "Person"] + option)
    #expect(run.code == 64)
    #expect(
      run.errors == """
        error: \(option[0]) 'agee': the entity Person has no property of that name
        Did you mean 'age'?

        """)
  }

  @Test(arguments: ["--columns", "--sort", "--section"])
  func `A transient attribute is refused, because a store has no values of it`(
    option: String
  ) throws {
    let (attribute, entity) = (NSAttributeDescription(), NSEntityDescription())
    (attribute.name, attribute.attributeType) = ("mood", .stringAttributeType)
    (attribute.isTransient, attribute.isOptional) = (true, true)
    (entity.name, entity.properties) = ("Item", [attribute])
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let path = temporary.path("Items.sqlite")
    try OpenedStore.create(path, model: model).close { Issue.record("\($0)") }
    let run = ToolRun.coredata("fetch", path, "Item", option, "mood")
    #expect(run.code == 64)
    #expect(run.errors == "error: \(option) 'mood': mood is transient and not stored\n")
  }

  @Test func `An empty condition is an error and does not select all rows`() {
    for (command, condition) in [("fetch", " "), ("fetch", ""), ("delete", " "), ("delete", "")] {
      let run = ToolRun.coredata(command, store, "Person", "--where", condition)
      #expect(run.code == 64)
      #expect(run.output == "")
      #expect(
        run.errors.hasSuffix(
          """
          error: --where has no condition
          Add one, such as "age > 30", or omit --where to select all rows.

          """))
    }
  }

  @Test func `Sorting by a relationship is refused`() {
    let toOne = ToolRun.coredata("fetch", store, "Job", "--sort", "customer")
    #expect(toOne.code == 64)
    #expect(
      toOne.errors.hasSuffix(
        """
        which has no order
        Use one of its attributes instead, such as customer.address.

        """), "\(toOne.errors)")
    let toMany = ToolRun.coredata("fetch", store, "Team", "--sort", "players.name")
    #expect(toMany.code == 64)
    #expect(toMany.errors.contains("leads to many rows of Player"))
  }

  @Test func `Negative counts are refused`() {
    #expect(ToolRun.coredata("fetch", store, "Person", "--limit", "-1").code == 64)
    #expect(ToolRun.coredata("fetch", store, "Person", "--offset", "-1").code == 64)
  }

  @Test func `The columns that do not fit the width of the table are named`() {
    let run = ToolRun.coredata("fetch", store, "Customer", "--limit", "1", width: 40)
    #expect(run.output.contains("columns left out: "))
    #expect(
      run.output.split(separator: "\n").prefix(3).allSatisfy { DisplayWidth.of(String($0)) <= 40 })
  }
}
