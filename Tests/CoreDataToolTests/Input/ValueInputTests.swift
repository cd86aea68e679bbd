import CoreData
import FixtureSupport
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct ValueInputTests {
  @Test(arguments: [
    ("-32768", NSAttributeType.integer16AttributeType, CellValue.integer(-32_768)),
    ("2147483647", .integer32AttributeType, .integer(2_147_483_647)),
    ("-9223372036854775808", .integer64AttributeType, .integer(.min)),
    ("1.5", .doubleAttributeType, .double(1.5)),
    ("0.1", .floatAttributeType, .double(Double(Float(0.1)))),
    ("-3.4028235e38", .floatAttributeType, .double(-Double(Float.greatestFiniteMagnitude))),
    ("12.30", .decimalAttributeType, .decimal(Decimal(string: "12.3")!)),
    (".5", .decimalAttributeType, .decimal(Decimal(string: "0.5")!)),
    ("YES", .booleanAttributeType, .boolean(true)),
    ("false", .booleanAttributeType, .boolean(false)),
    ("0", .booleanAttributeType, .boolean(false)),
    ("", .stringAttributeType, .text("")),
    ("AAH/", .binaryDataAttributeType, .data(Data([0, 1, 255]))),
    (
      "0a0b0c0d-0000-0000-0000-000000000001", .UUIDAttributeType,
      .uuid(UUID(uuidString: "0A0B0C0D-0000-0000-0000-000000000001")!)
    ),
    ("https://example.com/?a=b", .URIAttributeType, .url(URL(string: "https://example.com/?a=b")!)),
    ("2001-01-01", .dateAttributeType, .date(Date(timeIntervalSinceReferenceDate: 0))),
  ])
  func `A string is parsed as its type`(text: String, kind: NSAttributeType, expected: CellValue)
    throws
  {
    #expect(try ValueInput.value(of: text, as: kind, for: "key") == expected)
  }

  @Test(arguments: [
    ("32768", NSAttributeType.integer16AttributeType), ("-2147483649", .integer32AttributeType),
    ("9223372036854775808", .integer64AttributeType), ("1.0", .integer16AttributeType),
    ("", .integer16AttributeType), ("inf", .doubleAttributeType), ("nan", .floatAttributeType),
    ("1e39", .floatAttributeType), ("-3.5e38", .floatAttributeType),
    ("1e309", .doubleAttributeType), ("1e200", .decimalAttributeType),
    ("1e309 seconds since 2001", .dateAttributeType),
    ("12abc", .decimalAttributeType), (".", .decimalAttributeType),
    ("١٢", .decimalAttributeType), ("2024-05-01 ١٤:٣٠", .dateAttributeType),
    ("2024-05-01 １４:３０", .dateAttributeType),
    ("maybe", .booleanAttributeType), ("yesterday", .dateAttributeType),
    ("%%%", .binaryDataAttributeType), ("12", .UUIDAttributeType), ("", .URIAttributeType),
  ])
  func `A string that does not fit the type is refused`(text: String, kind: NSAttributeType) throws
  {
    let error = #expect(throws: Diagnostic.self) {
      try ValueInput.value(of: text, as: kind, for: "age")
    }
    #expect(error?.message == "'\(text)' is not a valid value for age")
    #expect(error?.details == ["Expected \(try #require(kind.expectation))."])
  }

  @Test func `The error states the range of an integer`() {
    #expect(
      NSAttributeType.integer16AttributeType.expectation
        == "an integer from -32768 to 32767")
    #expect(
      NSAttributeType.integer64AttributeType.expectation
        == "an integer from -9223372036854775808 to 9223372036854775807")
  }

  @Test func `A file larger than the limit for values is refused before it is read`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    #expect(FileManager.default.createFile(atPath: file.path, contents: Data()))
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    // A sparse file: it occupies no space on the disk.
    try handle.truncate(atOffset: 1 << 40)
    try handle.close()
    let error = #expect(throws: Diagnostic.self) {
      try ValueInput.value(of: "@\(file.path)", as: .binaryDataAttributeType, for: "photo")
    }
    #expect(error?.message == "the file '\(file.path)' for photo is too large")
    #expect(error?.details == ["A value can have at most 1,000,000,000 bytes."])
  }

  @Test func `Data can come from a file, and the error for a missing file has its path`() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data([1, 2]).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(
      try ValueInput.value(of: "@\(file.path)", as: .binaryDataAttributeType, for: "photo")
        == .data(Data([1, 2])))
    let error = #expect(throws: Diagnostic.self) {
      try ValueInput.value(of: "@/no/such/file", as: .binaryDataAttributeType, for: "photo")
    }
    #expect(
      error?.message.hasPrefix("the file '/no/such/file' for photo cannot be read") == true)
  }

  @Test(arguments: [
    ("2024-05-01", 736_214_400.0), ("2024-05-01 14:30", 736_266_600),
    ("2024-05-01T14:30:05.25Z", 736_266_605.25), ("2024-05-01T14:30:00+02:00", 736_259_400),
    ("2024-05-01T14:30-0130", 736_272_000), ("2000-02-29", -26_524_800),
    ("0001-01-01", -63_113_904_000),
  ])
  func `Dates are read in UTC unless they have a time zone`(text: String, seconds: Double) {
    #expect(DateInput.date(text) == Date(timeIntervalSinceReferenceDate: seconds))
  }

  @Test(arguments: [
    "2024-13-01", "2024-02-30", "2023-02-29", "1900-02-29", "2024-5-1", "2024-05-01T25:00",
    "2024-05-01T10:60", "14:30", "", "2024-05-01 ", "2024-05-01T10:00:00+99:00",
  ])
  func `A string that is not a date is refused`(text: String) {
    #expect(DateInput.date(text) == nil)
  }

  @Test func `The input reads back the dates that the output writes`() {
    var generator = SeededGenerator("dates as text")
    for _ in 0..<2_000 {
      // Years -2000 to 6000, in eighths of a second.
      let eighths = Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &generator)
      let date = Date(timeIntervalSinceReferenceDate: Double(eighths) / 8)
      #expect(DateInput.date(DateText.iso8601(date)) == date)
    }
  }

  @Test(
    arguments: [
      ("12", nil, 12), ("p12", nil, 12), ("Team/p3", "Team", 3), ("Team p3", "Team", 3),
      (" Team/4 ", "Team", 4),
    ] as [(String, String?, Int64)])
  func `Rows are given in the form that the output prints`(
    text: String, entity: String?, key: Int64
  ) throws {
    #expect(
      try ObjectReference.parse(text, for: "team") == ObjectReference(entity: entity, key: key))
  }

  @Test(arguments: [
    "", "p", "p0", "-1", "p+5", "+5", "Team/p+5", "Team/", "/p3", "Team/p3/x", "anna",
  ])
  func `A string that refers to no row is refused`(text: String) {
    let error = #expect(throws: Diagnostic.self) { try ObjectReference.parse(text, for: "team") }
    #expect(error?.message == "'\(text)' is not a valid row for team")
  }

  @Test func `Only the message about an optional relationship mentions nil`() {
    func advice(_ parse: () throws -> Void) -> [String]? {
      #expect(throws: Diagnostic.self, performing: parse)?.details
    }
    let rows = "Use a row's objectID, such as p12 or Team/p12"
    #expect(
      advice { _ = try ObjectReference.parse("x", for: "team", isOptional: true) }
        == ["\(rows), or nil."])
    #expect(advice { _ = try ObjectReference.parse("x", for: "team") } == ["\(rows)."])
    #expect(advice { _ = try ObjectReference.parseList("x", for: "--id") } == ["\(rows)."])
  }

  @Test func `A list of rows may be empty`() throws {
    #expect(try ObjectReference.parseList(" ", for: "players") == [])
    #expect(
      try ObjectReference.parseList("p1, Player/p2", for: "players") == [
        ObjectReference(entity: nil, key: 1), ObjectReference(entity: "Player", key: 2),
      ])
  }
}
