import FixtureSupport
import Testing

@testable import CoreData

/// SQLite's page "Flexible Typing": a column accepts values of any type, so another program may have
/// written anything.
@Suite("Verification of values")
struct ValueVerificationTests {
  private let folder: TemporaryFolder
  private let url: URL

  private static let types: [(String, NSAttributeType)] = [
    ("short", .integer16AttributeType), ("medium", .integer32AttributeType),
    ("long", .integer64AttributeType), ("truth", .booleanAttributeType),
    ("real", .doubleAttributeType), ("small", .floatAttributeType), ("day", .dateAttributeType),
    ("price", .decimalAttributeType), ("text", .stringAttributeType),
    ("link", .URIAttributeType), ("id", .UUIDAttributeType), ("bytes", .binaryDataAttributeType),
    ("any", .transformableAttributeType),
  ]

  private static var values: [String: Any] {
    [
      "short": -32768, "medium": Int32.max, "long": Int64.min, "truth": true,
      "real": -Double.infinity,
      "small": -Float.greatestFiniteMagnitude, "day": Date.distantFuture,
      "price": NSDecimalNumber(string: "12345678901234567890.5"), "text": "ö\u{10FFFF}",
      "link": URL(string: "https://example.org/a?b#c") as Any, "id": UUID(), "bytes": Data([0]),
      "any": ["a", "b"] as NSArray,
    ]
  }

  /// Inserts a row with the extreme values of all types, and one without values.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let thing = NSEntityDescription()
    thing.name = "Thing"
    let kind = NSEntityDescription()
    kind.name = "Kind"
    thing.subentities = [kind]
    thing.properties = Self.types.map { SampleStack.attribute($0, $1) }
    let model = NSManagedObjectModel()
    model.entities = [thing, kind]
    let stack = try SampleStack(url: url, model: model)
    try stack.context.performAndWait {
      stack.context.insert("Thing", Self.values)
      try stack.context.save()
      stack.context.insert("Kind")
      try stack.context.save()
    }
    for store in stack.coordinator.persistentStores { try stack.coordinator.remove(store) }
  }

  private func verify(repairing: Bool = false) throws -> StoreVerification {
    try NSPersistentStoreCoordinator.verifyPersistentStore(at: url, repairing: repairing)
  }

  @Test func `The least and greatest values of every type pass verification`() throws {
    #expect(try verify().findings == [])
  }

  static let damages: [(column: String, value: String, text: String)] = [
    ("short", "32768", "are outside the range of Integer 16"),
    ("short", "\(1 << 40)", "are outside the range of Integer 16"),
    ("short", "-32769", "are outside the range of Integer 16"),
    ("short", "'many'", "are not integers"), ("short", "1.5", "are not integers"),
    ("medium", "2147483648", "are outside the range of Integer 32"),
    ("medium", "x'01'", "are not integers"), ("long", "1e300", "are not integers"),
    ("long", "'many'", "are not integers"),
    ("truth", "7", "are Boolean values other than 0 and 1"),
    ("truth", "-1", "are Boolean values other than 0 and 1"),
    ("truth", "'YES'", "are not Boolean values"),
    ("real", "'many'", "are not numbers"), ("small", "1e39", "are outside the range of Float"),
    ("day", "9e999", "are infinite, which is not a date"),
    ("day", "-9e999", "are infinite, which is not a date"),
    ("day", "'2001-01-01'", "are not dates"),
    ("day", "1e15", "are dates beyond the calendar"),
    ("day", "-1e15", "are dates beyond the calendar"), ("price", "'NaN'", "are not numbers"),
    ("price", "9e999", "are outside the range of Decimal"),
    ("price", "1e200", "are outside the range of Decimal"),
    ("text", "CAST(x'61ff62' AS TEXT)", "are strings with invalid UTF-8"),
    ("text", "CAST(x'eda080' AS TEXT)", "are strings with invalid UTF-8"),
    ("text", "x'6162'", "are not strings"),
    ("link", "'http://[::1'", "are strings that are not URIs"),
    ("link", "x'6162'", "are not strings"), ("id", "x'0102'", "are not the 16 bytes of a UUID"),
    ("id", "'6162'", "are not the 16 bytes of a UUID"), ("bytes", "'text'", "are not data"),
    ("any", "7", "are not data"),
  ]

  @Test(arguments: damages.indices)
  func `Values that are invalid for their type are listed with their keys`(index: Int) throws {
    let damage = Self.damages[index]
    try PlainDatabase(url).execute(
      "UPDATE ZTHING SET Z\(damage.column.uppercased()) = \(damage.value)")
    let result = try verify()
    #expect(result.findings.map(\.kind) == [.invalidValue])
    #expect(!result.isIntact)
    #expect(
      result.findings.map(\.description) == [
        "Thing.\(damage.column): 2 values \(damage.text) (keys 1, 2)"
      ])
    #expect(result.findings.first?.isRepairable == damage.text.contains("other than 0 and 1"))
  }

  @Test func `A Boolean of 7 is repaired to the value that reading returns`() throws {
    try PlainDatabase(url).execute("UPDATE ZTHING SET ZTRUTH = 7 WHERE Z_PK = 2")
    let result = try verify(repairing: true)
    #expect(result.isIntact && result.findings.allSatisfy(\.isRepaired) && result.backup != nil)
    #expect(try verify().findings == [])
    #expect(
      try PlainDatabase(url).values("SELECT ZTRUTH FROM ZTHING").map { $0[0].integer } == [1, 1])
  }
}
