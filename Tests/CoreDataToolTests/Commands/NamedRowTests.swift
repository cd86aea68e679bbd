import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

/// A condition that refers to a row selects that row or fails. A command with such a condition never changes another
/// row.
struct NamedRowTests {
  private let temporary: TemporaryStore
  private let store: String

  init() throws {
    temporary = try TemporaryStore()
    store = temporary.sample(rows: 200)
  }

  private func ids(_ entity: String) throws -> [String?] {
    try PlainSQL(store).rows("SELECT Z_PK FROM Z\(entity.uppercased()) ORDER BY 1").map(\.[0])
  }

  private func fetch(_ entity: String, _ condition: String) -> [String] {
    ToolRun.coredata(
      "fetch", store, entity, "--where", condition, "--columns", "objectID", "--sort", "objectID"
    ).output.split(separator: "\n").map(String.init).filter { $0.contains("/p") }
  }

  @Test(arguments: [
    (#"SELF == "Team/p1""#, "Team/p1"), (#"SELF IN {"Person/p4", "Job/p1"}"#, "Job/p1"),
    (#"objectID == "Job/p2""#, "Job/p2"), (#""Team/p1" == SELF"#, "Team/p1"),
    (#"NOT SELF != "Team p1""#, "Team/p1"), (#"SELF == "p99999""#, "Person/p99999"),
    (#"age > 0 AND SELF == "Nothing/p1""#, "Nothing/p1"),
    (#"SELF == "x-coredata://E0F6B0B5-0000-4000-8000-000000000000/Person/p1""#, "Person/p1"),
  ])
  func `A row of another entity or a missing row is an error`(
    _ condition: String, _ row: String
  ) throws {
    let before = try ids("Person")
    for command in [["delete"], ["delete", "--batch"], ["update", "age=1"], ["fetch"]] {
      let run = ToolRun.coredata(
        [command[0], store, "Person", "--where", condition]
          + (command[0] == "fetch" ? [] : ["--yes"]) + command.dropFirst())
      #expect(run.code == 64, "\(run)")
      #expect(run.errors.contains("there is no row \(row)"), "\(run)")
    }
    #expect(try ids("Person") == before)
  }

  @Test func `A relationship is compared only with rows of its destination entity`() throws {
    let row = ToolRun.coredata(
      "fetch", store, "Job", "--columns", "customer", "--where", "customer != nil", "--limit", "1",
      "--format", "csv")
    let customer = try #require(row.output.split(separator: "\r\n").last).split(separator: "/p")
    #expect(!fetch("Job", "customer == \"Customer/p\(customer[1])\"").isEmpty)
    for name in ["Job", "Team", "Player"] {
      let run = ToolRun.coredata(
        "delete", store, "Job", "--where", "customer == \"\(name)/p\(customer[1])\"", "--yes")
      #expect(run.code == 64, "\(run)")
      #expect(
        run.errors.contains("there is no row \(name)/p\(customer[1]) of Customer"), "\(run)")
    }
  }

  @Test(arguments: [
    #"SUBQUERY(jobs, $x, $x == "p2").@count > 0"#,
    #"SUBQUERY(jobs, $x, $x.objectID == "Job/p2" AND $x.customer == SELF).@count == 1"#,
    #"SUBQUERY(jobs, $x, $x.customer == "CUSTOMER" AND $x IN {"Job/p2"}).@count == 1"#,
  ])
  func `Conditions can name rows inside subqueries, too`(_ condition: String) throws {
    let owner = fetch("Customer", #"ANY jobs == "Job/p2""#)
    let name = try #require(owner.first)
    #expect(fetch("Customer", condition.replacing("CUSTOMER", with: name)) == owner)
    let wrong = ToolRun.coredata(
      "fetch", store, "Customer", "--where", #"SUBQUERY(jobs, $x, $x == "Team/p1").@count > 0"#)
    #expect(wrong.code == 64 && wrong.errors.contains("there is no row Team/p1 of Job"), "\(wrong)")
  }

  @Test(arguments: ["delete", "update", "watch"])
  func `A comparison of a date with a number prints a hint before anything happens`(
    _ command: String
  ) throws {
    let before = try PlainSQL(store).rows("SELECT ZDATE, ZTITLE FROM ZJOB ORDER BY Z_PK")
    let run = ToolRun.coredata(
      [command, store, "Job", "--where", "date > 2020"]
        + (command == "update" ? ["title=x"] : command == "watch" ? ["--reports", "0"] : []),
      answer: "n")
    let hint = "hint: date is a date, and the number 2020 means seconds since 2001"
    let place = try #require(run.errors.firstRange(of: hint), "\(run)")
    if command != "watch" {
      let question = try #require(run.errors.firstRange(of: "[y/N]"), "\(run)")
      #expect(place.lowerBound < question.lowerBound)
    }
    #expect(try PlainSQL(store).rows("SELECT ZDATE, ZTITLE FROM ZJOB ORDER BY Z_PK") == before)
  }

  @Test(arguments: [
    ("SUBQUERY(jobs, $j, $j.date > 2020).@count > 0", "$j.date"),
    ("jobs.@max.date > 2020", "jobs.@max.date"),
  ])
  func `A hint also names dates of variables and dates after an operator`(
    _ condition: String, _ date: String
  ) {
    let run = ToolRun.coredata("fetch", store, "Customer", "--where", condition, "--limit", "1")
    #expect(
      run.errors.contains("hint: \(date) is a date, and the number 2020 means seconds"), "\(run)")
  }
}
