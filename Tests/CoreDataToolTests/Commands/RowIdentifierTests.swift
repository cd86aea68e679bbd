import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// Commands accept the row IDs that the tool prints.
struct RowIdentifierTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 200)
  }

  private func ids(_ arguments: String...) -> [String] {
    let run = ToolRun.coredata(
      ["fetch", store] + arguments + ["--columns", "objectID", "--sort", "objectID"])
    return run.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.contains("/p") }
  }

  @Test(arguments: ["p4,p7", "Person/p4, Person/p7", "4,Person p7"])
  func `Only the rows with these IDs are shown`(_ list: String) {
    #expect(ids("Person", "--id", list) == ["Person/p4", "Person/p7"])
  }

  @Test func `The ID printed by an insertion updates and deletes the row`() throws {
    let inserted = ToolRun.coredata("insert", store, "Person", "firstName=Ada", "lastName=L")
    let id = try #require(inserted.output.split(separator: " ").last)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(
      ToolRun.coredata("update", store, "Person", "--id", id, "age=36").output
        == "updated 1 row of Person\n")
    #expect(
      ToolRun.coredata(
        "fetch", store, "Person", "--id", id, "--columns", "firstName,age", "--format", "json"
      ).output == "{\"firstName\":\"Ada\",\"age\":36}\n")
    #expect(
      ToolRun.coredata("update", store, "Person", "--id", id, "age=37", "--batch").output
        == "updated 1 row of Person\n")
    #expect(
      ToolRun.coredata("delete", store, "Person", "--id", id).output == "deleted 1 row of Person\n")
    let gone = ToolRun.coredata("fetch", store, "Person", "--id", id)
    #expect(gone.code == 64)
    #expect(gone.errors.contains("--id: there is no row \(id)"), "\(gone)")
  }

  @Test func `A missing row changes nothing, and several rows require confirmation`() {
    let missing = ToolRun.coredata("delete", store, "Person", "--id", "p4,p99999", "--yes")
    #expect(missing.code == 64)
    #expect(missing.errors.contains("there is no row Person/p99999"), "\(missing)")
    #expect(ids("Person", "--id", "p4") == ["Person/p4"])
    #expect(ToolRun.coredata("update", store, "Person", "--id", "p4,p5", "age=1").code == 64)
    #expect(
      ToolRun.coredata("update", store, "Person", "--id", "p4,p5", "age=1", "--yes").output
        == "updated 2 rows of Person\n")
  }

  @Test func `IDs and a condition restrict the rows together`() {
    #expect(
      ToolRun.coredata("update", store, "Person", "--id", "p4,p5,p6", "age=1", "--yes").code == 0)
    #expect(ToolRun.coredata("update", store, "Person", "--id", "p5", "age=2").code == 0)
    #expect(
      ids("Person", "--id", "p4,p5,p6", "--where", "age == 1") == ["Person/p4", "Person/p6"])
  }

  @Test(arguments: [
    #"SELF == "p4""#, #"objectID == "Person/p4""#, #"SELF IN {"Person/p4"}"#, #""p4" == SELF"#,
    #"objectID IN {"p4", "p4"}"#, #"NOT SELF != "Person p4""#,
  ])
  func `A condition compares rows with the printed IDs`(_ condition: String) {
    #expect(ids("Person", "--where", condition) == ["Person/p4"])
  }

  @Test func `A condition compares relationships with IDs, and URIs name rows`() throws {
    let row = ToolRun.coredata(
      "fetch", store, "Job", "--columns", "objectID,customer", "--where", "customer != nil",
      "--limit", "1", "--format", "csv")
    let fields = try #require(row.output.split(separator: "\r\n").last).split(separator: ",")
    let customer = String(fields[1])
    #expect(ids("Job", "--where", "customer == \"\(customer)\"").contains(String(fields[0])))
    #expect(ids("Customer", "--where", "ANY jobs == \"\(fields[0])\"") == [customer])
    let uuid = try #require(
      try PlainSQL(store).rows("SELECT Z_UUID FROM Z_METADATA").first?.first ?? nil)
    #expect(ids("Person", "--where", "SELF == \"x-coredata://\(uuid)/Person/p4\"") == ["Person/p4"])
    #expect(ids("Person", "--id", "x-coredata://\(uuid)/Person/p4") == ["Person/p4"])
    let other = ToolRun.coredata(
      "fetch", store, "Person", "--id", "x-coredata://\(UUID().uuidString)/Person/p4")
    #expect(other.code == 64 && other.errors.contains("there is no row"), "\(other)")
  }

  @Test(arguments: ["", "Team", "p0", "p-1", "Person/", "/p1", "Nothing/p1", "Job/p1"])
  func `A string that refers to no row of the entity is an error`(_ list: String) {
    let run = ToolRun.coredata("fetch", store, "Person", "--id", list)
    #expect(run.code == 64, "\(run)")
  }
}
