import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct DiagnosticTests {
  @Test func `An unknown entity is reported with the nearest name`() {
    let diagnostic = Diagnostic.unknownEntity("Persn", among: ["Customer", "Person", "Team"])
    #expect(diagnostic.kind.rawValue == 64)
    #expect(
      diagnostic.text == """
        error: there is no entity 'Persn' in the store
        Did you mean 'Person'?

        """)
  }

  @Test func `If no name is near, the names are listed in order`() {
    let diagnostic = Diagnostic.unknownEntity("Invoice", among: ["Team", "customer", "Person"])
    #expect(diagnostic.details == ["The entities are: customer, Person, Team"])
  }

  @Test func `A long list of names is cut after twenty`() {
    let names = (10..<40).map { "Entity\($0)" }
    let diagnostic = Diagnostic.unknownEntity("Zzzzzzzzzz", among: names)
    #expect(diagnostic.details.first?.hasSuffix("Entity29 and 10 more") == true)
  }

  @Test func `An unknown key is reported with the option that uses it`() {
    let diagnostic = Diagnostic.unknownKey(
      "ages", entity: "Person", use: "--sort", among: ["age", "name"])
    #expect(
      diagnostic.text == """
        error: --sort 'ages': the entity Person has no property of that name
        Did you mean 'age'?

        """)
  }

  @Test func `An unknown key inside a key path is reported with the whole path`() {
    let diagnostic = Diagnostic.unknownKey(
      "nme", in: "team.nme", entity: "Team", use: "--columns", among: ["name", "players"])
    #expect(
      diagnostic.text == """
        error: --columns 'team.nme': the entity Team has no property 'nme'
        Did you mean 'name'?

        """)
  }

  @Test func `A predicate error has a caret under its position`() {
    let diagnostic = Diagnostic.predicate("expected a value", in: "age >> 30", at: 5)
    #expect(
      diagnostic.text == """
        error: in --where: expected a value
          age >> 30
               ^

        """)
  }

  @Test func `The caret is placed correctly after wide characters, tabs and line breaks`() {
    #expect(Diagnostic.pointer(to: 2, in: "日本 x") == ["  日本 x", "      ^"])
    #expect(Diagnostic.pointer(to: 4, in: "a\tb\nc") == ["  a b c", "      ^"])
  }

  @Test func `A position at or beyond the end is after the last character`() {
    #expect(Diagnostic.pointer(to: 3, in: "abc") == ["  abc", "     ^"])
    #expect(Diagnostic.pointer(to: 99, in: "abc") == ["  abc", "     ^"])
    #expect(Diagnostic.pointer(to: -1, in: "") == ["  ", "  ^"])
  }

  @Test func `A long predicate is cut around the position`() {
    let text = String(repeating: "a", count: 100) + "!" + String(repeating: "b", count: 100)
    let lines = Diagnostic.pointer(to: 100, in: text)
    #expect(
      lines[0]
        == "  …" + String(repeating: "a", count: 50) + "!" + String(repeating: "b", count: 49)
        + "…")
    #expect(lines[1].count == 2 + 1 + 50 + 1)
  }

  @Test func `Changing more than one row requires confirmation`() {
    let diagnostic = Diagnostic.needsConfirmation("1,234 rows of Person", change: "delete")
    #expect(diagnostic.kind.rawValue == 64)
    #expect(
      diagnostic.message == "this would delete 1,234 rows of Person; nothing was changed")
  }

  @Test func `A store error exits with 65`() {
    #expect(Diagnostic.noSuchFile("a.sqlite").kind.rawValue == 65)
    #expect(Diagnostic.isDirectory("a").kind.rawValue == 65)
    #expect(Diagnostic.notAStore("a", reason: "b").kind.rawValue == 65)
    #expect(Diagnostic.damaged("a", reason: "b").kind.rawValue == 65)
  }

  @Test func `Text quoted in a message cannot control the terminal`() {
    #expect(Diagnostic(.data, "bad \u{1B}[2J name").text == "error: bad ␛[2J name\n")
  }
}
