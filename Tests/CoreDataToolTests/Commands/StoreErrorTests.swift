import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct StoreErrorTests {
  private let temporary: TemporaryStore

  init() throws {
    temporary = try TemporaryStore()
  }

  private func failure(_ path: String, _ options: String...) -> ToolRun {
    ToolRun.coredata(["info", path] + options)
  }

  @Test func `A missing file is reported`() {
    let run = failure("/nowhere/a.sqlite")
    #expect(
      run == ToolRun(code: 65, output: "", errors: "error: there is no file '/nowhere/a.sqlite'\n"))
  }

  @Test func `A folder is refused`() {
    #expect(failure(temporary.folder.path).code == 65)
  }

  @Test func `A text file is refused and left unchanged`() throws {
    let path = temporary.path("text.sqlite")
    try "Dear diary, this is no database, and it is long enough to be one.".write(
      toFile: path, atomically: true, encoding: .utf8)
    let run = failure(path)
    #expect(run.code == 65)
    #expect(run.errors == "error: \(path) is not a Core Data store: it is not a SQLite file\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("Dear diary"))
  }

  @Test func `A truncated store is refused and left unchanged`() throws {
    let path = temporary.sample()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let part = whole.prefix(whole.count / 2)
    try part.write(to: URL(fileURLWithPath: path))
    let run = failure(path)
    #expect(run.code == 65)
    #expect(run.errors.hasPrefix("error: the store \(path) is damaged: "))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == part)
  }

  @Test func `A model that does not match the store is refused`() throws {
    let path = temporary.sample()
    let model = temporary.path("Other.xcdatamodel")
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
    try """
    <?xml version="1.0" encoding="UTF-8"?>
    <model><entity name="Person"><attribute name="age" attributeType="Integer 16"/></entity></model>
    """.write(toFile: model + "/contents", atomically: true, encoding: .utf8)
    let run = failure(path, "--model", model)
    #expect(run.code == 65)
    #expect(run.errors.contains("incompatible"))
    #expect(run.errors.contains("Person"))
    #expect(run.errors.contains("Omit --model"))
  }

  @Test func `A missing model is reported`() {
    let run = failure(temporary.sample(), "--model", "/nowhere/a.xcdatamodeld")
    #expect(run.code == 65)
    #expect(run.errors.contains("/nowhere/a.xcdatamodeld"))
  }
}
