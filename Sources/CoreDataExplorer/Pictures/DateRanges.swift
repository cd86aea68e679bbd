import Foundation

/// Divides a period into ranges of years, months, days, hours or shorter units, choosing the unit that results in about
/// as many ranges as requested. All dates in the explorer are in UTC, and so are the ranges.
struct DateRanges {
  /// The units, each with its length in seconds, possible steps, and the format of a label.
  private static let units: [(Calendar.Component, Double, [Int], String)] = [
    (.second, 1, [1, 5, 15], "yyyy-MM-dd HH:mm:ss"),
    (.minute, 60, [1, 5, 15], "yyyy-MM-dd HH:mm"),
    (.hour, 3_600, [1, 3, 6], "yyyy-MM-dd HH:mm"), (.day, 86_400, [1, 2, 7], "yyyy-MM-dd"),
    // The average lengths of a month and a year in the Gregorian calendar.
    (.month, 2_629_746, [1, 3, 6], "yyyy-MM"),
    (
      .year, 31_556_952,
      [1, 2, 5, 10, 20, 50, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000],
      "yyyy"
    ),
  ]

  let ranges: [(label: String, from: Date, to: Date)]

  init(from low: Date, to high: Date, about count: Int) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    let wanted = high.timeIntervalSince(low) / Double(count)
    var chosen = (Calendar.Component.year, 1_000_000, "yyyy")
    search: for (unit, length, steps, format) in Self.units {
      for step in steps where Double(step) * length >= wanted {
        chosen = (unit, step, format)
        break search
      }
    }
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.calendar = calendar
    formatter.timeZone = calendar.timeZone
    formatter.dateFormat = chosen.2
    var ranges: [(String, Date, Date)] = []
    var start = Self.beginning(of: low, chosen.0, chosen.1, calendar)
    while start <= high, ranges.count < count * 4 {
      guard let end = calendar.date(byAdding: chosen.0, value: chosen.1, to: start), end > start
      else { break }
      let isOfYears = chosen.0 == .year && chosen.1 > 1
      let last = isOfYears ? "–" + formatter.string(from: end.addingTimeInterval(-1)) : ""
      ranges.append((formatter.string(from: start) + last, start, end))
      start = end
    }
    // If the ranges end before the last date, for example because the calendar has no later dates, extend the last one.
    if start <= high, let last = ranges.popLast() {
      let behind = Date(timeIntervalSinceReferenceDate: high.timeIntervalSinceReferenceDate.nextUp)
      ranges.append(("\(last.0) and later", last.1, behind))
    }
    self.ranges = ranges
  }

  /// Returns the latest start of a range that is not after a date. For example, a range of years starts in a year that
  /// is a multiple of the step.
  private static func beginning(
    of date: Date, _ unit: Calendar.Component, _ step: Int, _ calendar: Calendar
  ) -> Date {
    let start = calendar.dateInterval(of: unit, for: date)?.start ?? date
    let first = unit == .month || unit == .day ? 1 : 0
    let number = calendar.component(unit, from: start) - first
    return calendar.date(byAdding: unit, value: -(number % step), to: start) ?? start
  }
}
