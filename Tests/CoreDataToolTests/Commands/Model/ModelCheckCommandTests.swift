import FixtureSupport
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ModelCheckCommandTests {
  private let models: TemporaryModel

  init() throws { models = try TemporaryModel() }

  @Test func `A valid model has no problems in any version`() throws {
    let path = try models.write(
      versions: [("Staff", TemporaryModel.first), ("Staff 2", TemporaryModel.second)],
      current: "Staff 2")
    let run = ToolRun.coredata("model", "check", path)
    #expect(run == ToolRun(code: 0, output: "no problems in 2 versions\n", errors: ""))
    let one = ToolRun.coredata("model", "check", path, "--version", "Staff")
    #expect(one == ToolRun(code: 0, output: "no problems\n", errors: ""))
  }

  @Test func `Errors are reported with version, entity and property, and the exit code is 65`()
    throws
  {
    let bad = TemporaryModel.first.replacing(#"name="age""#, with: #"name="objectID""#)
    let path = try models.write(
      versions: [("Staff", TemporaryModel.first), ("Staff 2", bad)], current: "Staff")
    let run = ToolRun.coredata("model", "check", path)
    #expect(run.code == 65)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("error: Staff 2: Person.objectID: ") == true, "\(run.output)")
    #expect(lines.last == "1 error in 2 versions")
    #expect(ToolRun.coredata("model", "check", path, "--version", "Staff").code == 0)
  }

  @Test func `A version that cannot be read is reported among the other errors`() throws {
    let path = try models.write(
      versions: [("Staff", TemporaryModel.first), ("Staff 2", "<entity")], current: "Staff")
    let run = ToolRun.coredata("model", "check", path)
    #expect(run.code == 65)
    #expect(run.output.hasPrefix("error: Staff 2: "))
    #expect(run.output.contains("Staff 2.xcdatamodel"))
    #expect(run.output.hasSuffix("1 error in 2 versions\n"))
  }

  @Test func `Content that the reader does not understand is reported as a note`() throws {
    let body = TemporaryModel.first.replacing(
      "<entity name=\"Team\"", with: "<entity name=\"Team\" color=\"red\"")
    let path = try models.write(versions: [("Staff", body)])
    let run = ToolRun.coredata("model", "check", path)
    #expect(run.code == 0)
    #expect(run.output.hasPrefix("note: not understood: "), "\(run.output)")
    #expect(run.output.contains("color"))
    #expect(run.output.hasSuffix("1 note\n"))
  }

  @Test(.enabled(if: Fixtures.areAvailable, "no fixtures"))
  func `No model among the fixtures has errors`() throws {
    let root = Fixtures.url("models")
    let names = try #require(FileManager.default.enumerator(atPath: root.path))
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".xcdatamodeld") }
      // This fixture has only the file with the name of the current version, and no versions.
      .filter { !$0.hasSuffix("RestKitCoreData.xcdatamodeld") }
    try #require(!names.isEmpty)
    for name in names.sorted() {
      let run = ToolRun.coredata("model", "check", root.appendingPathComponent(name).path)
      #expect(run.code == 0, "\(name): \(run.output)")
    }
  }
}
