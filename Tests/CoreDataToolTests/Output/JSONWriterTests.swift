import Foundation
import ObjectModel
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct JSONWriterTests {
  private func lines(_ write: (inout JSONWriter) -> Void) -> [String] {
    let recorder = OutputRecorder()
    var writer = JSONWriter(output: recorder.write)
    write(&writer)
    return recorder.lines
  }

  @Test func `Each row is one object on a line of its own`() {
    let lines = lines {
      $0.begin(columns: ["name", "age", "team", "players", "born"], sectioned: false)
      $0.row([
        .text("Anna"), .integer(7), .object(entity: "Team", key: 12),
        .objects(entity: "Player", count: 3), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
      ])
      $0.row([.null, .null, .null, .null, .null])
      $0.end()
    }
    #expect(
      lines == [
        #"{"name":"Anna","age":7,"team":"Team/p12","players":3,"born":"2001-01-01T00:00:00.25Z"}"#,
        #"{"name":null,"age":null,"team":null,"players":null,"born":null}"#,
      ])
  }

  @Test func `The section is a member of each row's object`() {
    let lines = lines {
      $0.begin(columns: ["n"], sectioned: true)
      $0.section("A \"1\"", count: 1)
      $0.row([.integer(1)])
      $0.end()
    }
    #expect(lines == [#"{"@section":"A \"1\"","n":1}"#])
  }

  @Test func `The section of rows without a value is null, and that of an empty string is not`() {
    let lines = lines {
      $0.begin(columns: ["n"], sectioned: true)
      $0.section(nil, count: 1)
      $0.row([.integer(1)])
      $0.section("", count: 1)
      $0.row([.unreadable])
      $0.end()
    }
    #expect(lines == [#"{"@section":null,"n":1}"#, #"{"@section":"","n":null}"#])
  }

  @Test(arguments: [
    (CellValue.boolean(true), "true"), (.boolean(false), "false"),
    (.integer(.min), "-9223372036854775808"), (.double(1.5), "1.5"), (.double(1e300), "1e+300"),
    (.double(.infinity), "\"inf\""), (.decimal(Decimal(string: "12.30")!), "12.3"),
    (.data(Data([0, 1, 255])), "\"AAH/\""), (.data(Data()), "\"\""),
    (.text("tab\tquote\"back\\slash\u{1}\u{1B}"), #""tab\tquote\"back\\slash\u0001\u001b""#),
    (.text("Zoë 👍 /"), "\"Zoë 👍 /\""),
    (
      .uuid(UUID(uuidString: "0A0B0C0D-0000-0000-0000-000000000001")!),
      "\"0A0B0C0D-0000-0000-0000-000000000001\""
    ),
    (.url(URL(string: "https://example.com/a?b=c")!), "\"https://example.com/a?b=c\""),
    (.date(Date(timeIntervalSince1970: 1_714_573_800)), "\"2024-05-01T14:30:00Z\""),
    (
      .composite(["zip": .integer(5), "a\"": .composite(["on": .boolean(true)])]),
      #"{"a\"":{"on":true},"zip":5}"#
    ),
  ])
  func `Values are written with their JSON type`(value: CellValue, expected: String) {
    #expect(JSONWriter.text(of: value) == expected)
  }

  @Test(
    arguments: [
      "\u{61C}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
    ] as [Unicode.Scalar])
  func `Marks that change the direction of text are escaped`(mark: Unicode.Scalar) {
    #expect(JSONText.quoted("a\(mark)b") == "\"a\\u\(String(format: "%04x", mark.value))b\"")
  }

  @Test func `Foundation reads back every character below U+3000`() throws {
    let scalars = (0..<0x3000).compactMap(Unicode.Scalar.init)
    let text = String(String.UnicodeScalarView(scalars))
    let read = try JSONDecoder().decode(
      [String].self, from: Data("[\(JSONText.quoted(text))]".utf8))
    #expect(read.first.map { Array($0.unicodeScalars) } == scalars)
  }
}
