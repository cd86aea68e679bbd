/// Parses the dates in predicates and in user input.
package enum DateParser {
  /// Returns the date in a string; nil if the string is not a date.
  ///
  /// The formats are `2024-05-01`, `2024-05-01 14:30` and `2024-05-01T14:30:05.25`. A time zone may follow the time:
  /// `Z`, `+02:00` or `+0200`. Without a time zone, the time is in UTC. A year may have a sign, and more than four
  /// digits.
  package static func date(from text: String) -> Date? {
    let form =
      /([+-]?\d{4,})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?/
    // Only ASCII digits, because `Int` does not parse the digits of other scripts.
    guard let match = text.wholeMatch(of: form.asciiOnlyDigits()) else { return nil }
    // The limit keeps the computation of seconds from overflowing.
    guard let year = Int(match.1), year.magnitude < 1_000_000, let month = Int(match.2),
      let day = Int(match.3), (1...12).contains(month),
      (1...daysOfMonth(month, year: year)).contains(day)
    else { return nil }
    let hour = match.4.flatMap { Int($0) } ?? 0
    let minute = match.5.flatMap { Int($0) } ?? 0
    let second = match.6.flatMap { Int($0) } ?? 0
    guard hour < 24, minute < 60, second < 60 else { return nil }
    let fraction = match.7.flatMap { Double("0\($0)") } ?? 0
    guard let offset = secondsFromUTC(match.8 ?? "Z") else { return nil }
    // The reference date, 2001-01-01, is 11,323 days after 1970-01-01.
    let days = daysSince1970(year: year, month: month, day: day) - 11_323
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return Date(timeIntervalSinceReferenceDate: Double(seconds) + fraction)
  }

  private static func daysOfMonth(_ month: Int, year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func secondsFromUTC(_ zone: Substring) -> Int? {
    guard zone != "Z" else { return 0 }
    let digits = zone.dropFirst().filter(\.isNumber)
    guard let hours = Int(digits.prefix(2)), let minutes = Int(digits.suffix(2)), hours < 24,
      minutes < 60
    else { return nil }
    return (hours * 3_600 + minutes * 60) * (zone.first == "-" ? -1 : 1)
  }

  /// Returns the number of days from 1970 to a date. This is Howard Hinnant's `days_from_civil`,
  /// <https://howardhinnant.github.io/date_algorithms.html>.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension Int {
  /// Returns the quotient, rounded toward negative infinity, and the remainder, which is never negative.
  package func flooredDivision(by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
