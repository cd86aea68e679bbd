import Foundation
import Testing

@testable import CoreDataTool
@testable import StoreInspection

struct DateTextTests {
  @Test(arguments: [
    (0.0, "2001-01-01 00:00:00"), (-1, "2000-12-31 23:59:59"), (-0.5, "2000-12-31 23:59:59"),
    (736_266_600, "2024-05-01 14:30:00"), (99_792_000, "2004-03-01 00:00:00"),
    (99_705_600, "2004-02-29 00:00:00"), (-978_307_200, "1970-01-01 00:00:00"),
    (-63_113_904_000, "0001-01-01 00:00:00"), (63_113_904_000, "4001-01-01 00:00:00"),
    (-63_145_612_800, "-0001-12-31 00:00:00"), (252_423_993_600, "+10000-01-01 00:00:00"),
    (.infinity, "inf seconds since 2001"),
  ])
  func `A date is shown in UTC`(seconds: Double, expected: String) {
    #expect(DateText.formatted(Date(timeIntervalSinceReferenceDate: seconds)) == expected)
  }

  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
    (0.000_001, "2001-01-01T00:00:00.000001Z"), (0.1 + 0.2, "2001-01-01T00:00:00.3Z"),
    (0.999_999_9, "2001-01-01T00:00:01Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
  ])
  func `ISO 8601 has as many decimals as the value needs`(seconds: Double, expected: String) {
    #expect(DateText.iso8601(Date(timeIntervalSinceReferenceDate: seconds)) == expected)
  }

  @Test func `Dates of eight hundred years are formatted as Foundation formats them`() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    // Foundation's calendar is Gregorian from 1600 on.
    for day in stride(from: -146_000, through: 146_000, by: 13) {
      let date = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
      let parts = calendar.dateComponents([.year, .month, .day], from: date)
      let expected = String(
        format: "%04d-%02d-%02d 00:00:00", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
      #expect(DateText.formatted(date) == expected)
    }
  }
}
