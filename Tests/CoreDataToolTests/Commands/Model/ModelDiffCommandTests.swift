import FixtureSupport
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelDiffCommandTests {
  private let models: TemporaryModel
  private let path: String

  init() throws {
    models = try TemporaryModel()
    path = try models.writeStaff("Staff", "Staff 2", "Staff 3", current: "Staff 3")
  }

  @Test func `A lightweight migration is listed change by change and exits with 0`() {
    let run = ToolRun.coredata("model", "diff", path, "--old", "Staff", "--new", "Staff 2")
    #expect(run.code == 0)
    #expect(run.errors == "")
    #expect(
      run.output == """
        Person
          lightweight   age       type Integer 16 → Integer 32
          lightweight   email     added, optional String
          lightweight   fullName  renamed, was name

        Team
          no migration  members   delete rule Deny → Cascade

        The migration is lightweight: Core Data can infer it.

        """)
  }

  @Test
  func `A required mapping model exits with 1, and the output describes what it must contain`() {
    let run = ToolRun.coredata("model", "diff", path, "--old", "Staff 2")
    #expect(run.code == 1)
    #expect(run.errors == "")
    #expect(
      run.output == """
        Person
          needs mapping  email  becomes required: a value is required, and rows of Person have none
              → give the attribute a default value, make it optional, or provide its value in a mapping model

        A mapping model is needed for 1 of 1 change.

        """)
  }

  @Test func `Changes that affect no store require no migration`() throws {
    let other = try models.write(
      "Other",
      versions: [
        ("Other", TemporaryModel.first.replacing("minValueString=\"1\"", with: ""))
      ])
    let run = ToolRun.coredata("model", "diff", path, other, "--old", "Staff")
    #expect(run.code == 0)
    #expect(
      run.output == """
        Person
          no migration  name  validation length >= 1 → none

        No migration is needed: stores of either model open with the other.

        """)
  }

  @Test func `A model is the same as itself`() {
    let run = ToolRun.coredata("model", "diff", path, path)
    #expect(run == ToolRun(code: 0, output: "The models are the same.\n", errors: ""))
  }

  @Test func `A comparison as JSON is one object`() throws {
    let run = ToolRun.coredata(
      "model", "diff", path, "--old", "Staff", "--new", "Staff 3", "--format", "json")
    #expect(run.code == 1)
    #expect(run.output.split(separator: "\n").count == 1)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(object["migration"] as? String == "mapping")
    #expect(object["old"] as? [String: String] == ["path": path, "version": "Staff"])
    let changes = try #require(object["changes"] as? [[String: String]])
    #expect(
      changes.map { "\($0["entity"] ?? "").\($0["property"] ?? "") \($0["change"] ?? "")" } == [
        "Person.age type", "Person.email added", "Person.fullName name", "Team.members deleteRule",
      ])
    #expect(changes[1]["migration"] == "mapping")
    #expect(changes[1]["note"] == "a value is required, and rows of Person have none")
    #expect(changes[1]["advice"]?.hasPrefix("give the attribute a default value") == true)
  }

  @Test func `A store is compared by its cached model`() throws {
    let stores = try TemporaryStore()
    let contacts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Examples/Contacts/Contacts.xcdatamodeld")
    let run = ToolRun.coredata("model", "diff", stores.sample(rows: 10), contacts.path)
    #expect(run.code == 0)
    #expect(run.output == "The models are the same.\n")
  }

  @Test func `A comparison requires a second model or a version`() {
    let run = ToolRun.coredata("model", "diff", path)
    #expect(run.code == 64)
    #expect(
      run.errors == """
        error: there is no second model to compare with
        Name a new model, or choose another version of this one with --old or --new.

        """)
    let wrong = ToolRun.coredata("model", "diff", path, "--old", "Stuff 2")
    #expect(wrong.code == 64)
    #expect(wrong.errors.hasPrefix("error: --old 'Stuff 2': "))
    #expect(wrong.errors.hasSuffix("Did you mean 'Staff 2'?\n"))
  }
}
