import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct FormattedValueTests {
  @Test(arguments: [
    (CellValue.null, ""), (.boolean(true), "yes"), (.boolean(false), "no"), (.integer(-5), "-5"),
    (.double(0.1), "0.1"), (.decimal(Decimal(string: "1234.50")!), "1234.5"),
    (.data(Data(count: 12_345)), "‹12 KB›"), (.data(Data(count: 1)), "‹1 byte›"),
    (.object(entity: "Team", key: 12), "Team/p12"),
    (.objects(entity: "Job", count: 3), "3 Job"),
    (.objects(entity: "Job", count: 1_203), "1,203 Job"),
    (.text("a\tb"), "a␉b"),
    (.object(entity: "A\u{1B}[2J", key: 1), "A␛[2J/p1"),
    (.objects(entity: "A\nB", count: 2), "2 A⏎B"),
    (.composite(["b": .data(Data(count: 3)), "a": .boolean(true)]), "{a: yes, b: ‹3 bytes›}"),
  ])
  func `A value is formatted for a table`(value: CellValue, expected: String) {
    #expect(value.formatted == expected)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567"), (100_000, "100,000"),
    (Int.min, "-9,223,372,036,854,775,808"),
  ])
  func `Counts have a comma after every three digits`(count: Int, expected: String) {
    #expect(CountText.grouped(count) == expected)
  }

  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1 KB"), (1_500, "1.5 KB"),
    (9_960, "10 KB"), (12_345, "12 KB"), (999_499, "999 KB"), (999_500, "1 MB"),
    (3_400_000, "3.4 MB"), (7_000_000_000, "7 GB"),
  ])
  func `Sizes have a decimal place only below ten of their unit`(count: Int, expected: String) {
    #expect(CountText.bytes(count) == expected)
  }

  @Test func `Nouns agree with their count`() {
    #expect(CountText.rows(0) == "no rows")
    #expect(CountText.rows(1) == "1 row")
    #expect(CountText.rows(1_234) == "1,234 rows")
    #expect(CountText.counted(2, "entity", plural: "entities") == "2 entities")
  }
}
