import CoreData
import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct TableRendererTests {
  private func table(
    _ columns: [String], width: Int?, _ rows: [[CellValue]]
  ) -> [String] {
    let recorder = OutputRecorder()
    var renderer = TableRenderer(width: width, output: recorder.write)
    renderer.begin(columns: columns, sectioned: false)
    for row in rows { renderer.row(row) }
    renderer.end()
    return recorder.lines
  }

  @Test func `Numbers are aligned right, texts are aligned left, and the count follows`() {
    let lines = table(
      ["name", "age"], width: 40,
      [[.text("Anna"), .integer(7)], [.text("Christopher"), .integer(41)], [.null, .null]])
    #expect(
      lines == [
        "name         age",
        "───────────  ───",
        "Anna           7",
        "Christopher   41",
        "",
        "",
        "3 rows",
      ])
  }

  @Test func `A long string is cut so that the line fits`() {
    let lines = table(
      ["title", "n"], width: 16, [[.text("A rather long title"), .integer(12345)]])
    #expect(lines[2] == "A rather…  12345")
    #expect(lines.allSatisfy { DisplayWidth.of($0) <= 16 })
  }

  @Test func `Short strings keep their width, and long ones share the rest`() {
    let long = String(repeating: "x", count: 50)
    let lines = table(
      ["a", "b", "c"], width: 44, [[.text("short one"), .text(long), .text(long)]])
    // 44 minus two gaps and minus 9 is 31: 15 for each long text.
    #expect(lines[2] == "short one  xxxxxxxxxxxxxx…  xxxxxxxxxxxxxx…")
  }

  @Test func `Columns that do not fit are left out and named`() {
    let lines = table(
      ["first", "second", "third"], width: 20,
      [[.text("aaaaaaaaaaaa"), .date(.init(timeIntervalSinceReferenceDate: 0)), .integer(1)]])
    #expect(lines[2] == "aaaaaaaaaaaa")
    #expect(
      lines.suffix(3) == [
        "1 row", "2 columns left out: second, third",
        "Use --columns to choose columns, or widen the terminal.",
      ])
  }

  @Test func `A number is never cut, even if a later number is wider than the column`() {
    var rows = Array(
      repeating: [CellValue.integer(1), .text("t")], count: TableRenderer.sampleSize)
    rows.append([.integer(9_876_543_210), .text("t")])
    let lines = table(["n", "t"], width: 20, rows)
    #expect(lines[2] == "1  t")
    #expect(lines[TableRenderer.sampleSize + 2] == "9876543210  t")
    #expect(lines.last == "1,001 rows")
  }

  @Test func `The cells after a wider cell lose their padding, and later rows are aligned`() {
    var rows = Array(
      repeating: [CellValue.object(entity: "Person", key: 1), .integer(89), .text("t")],
      count: TableRenderer.sampleSize)
    rows[0][1] = .integer(1_000_000)
    rows.append([.object(entity: "Person", key: 100_001), .integer(89), .text("t")])
    rows.append([.object(entity: "Person", key: 2), .integer(89), .text("t")])
    let lines = table(["objectID", "n", "t"], width: 60, rows)
    #expect(
      lines.dropFirst(TableRenderer.sampleSize + 1).prefix(3) == [
        "Person/p1       89  t",
        "Person/p100001  89  t",
        "Person/p2            89  t",
      ])
  }

  @Test func `A missing value, an empty string and a string of blanks look different`() {
    let lines = table(
      ["a", "b"], width: 40,
      [
        [.null, .integer(1)], [.text(""), .integer(2)], [.text(" "), .integer(3)],
        [.text("x "), .integer(4)], [.text("x y"), .integer(5)],
      ])
    #expect(
      lines[2...6] == ["      1", "\"\"    2", "\" \"   3", "\"x \"  4", "x y   5"])
  }

  @Test func `Wide characters, emoji and accents are aligned`() {
    let lines = table(
      ["name", "x"], width: 40,
      [
        [.text("山田太郎"), .text("|")], [.text("Zoë"), .text("|")],
        [.text("👩‍👩‍👧‍👦 ok"), .text("|")], [.text("e\u{301}e\u{301}"), .text("|")],
      ])
    #expect(
      lines[2...5] == [
        "山田太郎  |",
        "Zoë       |",
        "👩‍👩‍👧‍👦 ok     |",
        "e\u{301}e\u{301}        |",
      ])
  }

  @Test func `Sections have a heading with their count`() {
    let recorder = OutputRecorder()
    var renderer = TableRenderer(width: 40, output: recorder.write)
    renderer.begin(columns: ["name"], sectioned: true)
    renderer.section("A", count: 2)
    renderer.row([.text("Anna")])
    renderer.row([.text("Arthur")])
    renderer.section(nil, count: 1)
    renderer.row([.text("?")])
    for name in ["", "(none)", "\"A\"", "a\nb"] { renderer.section(name, count: 0) }
    renderer.end()
    #expect(
      recorder.lines == [
        "name", "──────",
        "", "▸ A · 2 rows", "Anna", "Arthur",
        "", "▸ (none) · 1 row", "?",
        "", #"▸ "" · no rows"#, "", #"▸ "(none)" · no rows"#, "", #"▸ "\"A\"" · no rows"#,
        "", "▸ a⏎b · no rows",
        "", "3 rows in 6 sections",
      ])
  }

  @Test func `Different texts never look the same, whatever quotes they contain`() {
    let texts = [
      "", "\"\"", "\"", " ", "\" \"", "\\\"", "\\", "a\"b", "\"a", "a ", "\"a \"", "\\ ",
    ]
    let lines = table(["a"], width: 40, texts.map { [.text($0)] }).dropFirst(2).dropLast(2)
    #expect(Set(lines).count == texts.count)
    #expect(
      Array(lines) == [
        #""""#, #""\"\"""#, #""\"""#, #"" ""#, #""\" \"""#, #"\""#, #"\"#, #"a"b"#, #""\"a""#,
        #""a ""#, #""\"a \"""#, #""\\ ""#,
      ])
  }

  @Test func `An empty result prints only a line that says so`() {
    #expect(table(["name"], width: 40, []) == ["No rows"])
  }

  @Test func `Without a limit all columns are shown and texts are cut at sixty`() {
    let lines = table(
      ["a", "b"], width: nil,
      [[.text(String(repeating: "x", count: 100)), .text(String(repeating: "y", count: 20))]])
    #expect(
      lines[2] == String(repeating: "x", count: 59) + "…  " + String(repeating: "y", count: 20))
  }

  @Test func `Control characters cannot reach the terminal`() {
    let lines = table(["a"], width: 40, [[.text("red\u{1B}[31m\nnext\r\nlast\u{202E}abc\u{9B}x")]])
    #expect(lines[2] == "red␛[31m⏎next⏎last\u{FFFD}abc\u{FFFD}x")
  }
}
