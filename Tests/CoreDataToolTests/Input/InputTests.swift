import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct InputTests {
  @Test func `Sort keys are read in order, and a minus sign reverses one`() throws {
    #expect(
      try SortTerm.parse("name, -age,+team.name") == [
        SortTerm(key: "name", ascending: true), SortTerm(key: "age", ascending: false),
        SortTerm(key: "team.name", ascending: true),
      ])
  }

  @Test(arguments: ["", "name,", ",name", "-", "a,,b", " "])
  func `An empty sort key is refused`(text: String) {
    let error = #expect(throws: Diagnostic.self) { try SortTerm.parse(text) }
    #expect(error?.kind == .usage)
    #expect(error?.message == "--sort '\(text)' has an empty key")
  }

  @Test func `Columns are read in order`() throws {
    #expect(try ColumnList.parse("name, age,team.name") == ["name", "age", "team.name"])
    let error = #expect(throws: Diagnostic.self) { try ColumnList.parse("name,,age") }
    #expect(error?.message == "--columns 'name,,age' has an empty name")
  }

  @Test(
    arguments: [
      ("name=Anna", "name", "Anna"), ("note=a=b=c", "note", "a=b=c"), ("name=", "name", ""),
      ("name=nil", "name", nil), ("name='nil'", "name", "nil"), ("name=\"x\"", "name", "x"),
      ("name='", "name", "'"), ("name= spaced ", "name", " spaced "), ("name='O''", "name", "O'"),
    ] as [(String, String, String?)])
  func `An assignment is split at its first equals sign`(
    argument: String, key: String, value: String?
  ) throws {
    #expect(try Assignment.parse(argument) == Assignment(key: key, value: value))
  }

  @Test func `Text that is not an assignment is refused, and the error quotes it`() {
    #expect(throws: Diagnostic(.usage, "'name' is not of the form key=value")) {
      try Assignment.parse("name")
    }
    #expect(throws: Diagnostic(.usage, "'=x' has no key before its equals sign")) {
      try Assignment.parse("=x")
    }
    #expect(throws: Diagnostic(.usage, "'a' is set twice")) {
      try Assignment.parse(["a=1", "b=2", "a=3"])
    }
  }
}
