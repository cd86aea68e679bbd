package import CoreData

/// Formats dates, always in UTC, so that the output for a store is the same everywhere.
package enum DateText {
  /// Returns the text for a table: `2024-05-01 14:30:00`, truncated to whole seconds.
  package static func formatted(_ date: Date) -> String {
    guard let moment = Moment(date) else { return irregular(date) }
    return "\(moment.day) \(moment.time)"
  }

  /// Returns the text for JSON and CSV: ISO 8601, `2024-05-01T14:30:00Z`, with up to six decimals of a second if needed.
  package static func iso8601(_ date: Date) -> String {
    guard let moment = Moment(date) else { return irregular(date) }
    return "\(moment.day)T\(moment.time)\(moment.fraction)Z"
  }

  /// Returns the text for an editor: as for JSON, with as many decimals as needed. Parsing the text returns exactly the
  /// same date.
  package static func exact(_ date: Date) -> String {
    guard let moment = Moment(date) else { return irregular(date) }
    let usual = iso8601(date)
    if DateParser.date(from: usual) == date { return usual }
    let seconds = date.timeIntervalSinceReferenceDate
    let fraction = seconds - seconds.rounded(.down)
    for places in 7...17 {
      let digits = String(format: "%.\(places)f", fraction)
      // Skip a fraction that rounds up to a whole second.
      guard digits.hasPrefix("0.") else { continue }
      let text = "\(day(of: date) ?? moment.day)\(digits.dropFirst())Z"
      if DateParser.date(from: text) == date { return text }
    }
    return irregular(date)
  }

  /// Returns the day and the time of a date in whole seconds.
  private static func day(of date: Date) -> String? {
    Moment(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down)))
      .map { "\($0.day)T\($0.time)" }
  }

  /// Returns the text for a date that is too distant for the calendar: a store can contain any number.
  private static func irregular(_ date: Date) -> String {
    "\(date.timeIntervalSinceReferenceDate) seconds since 2001"
  }

  /// The parts of a date in the proleptic Gregorian calendar.
  private struct Moment {
    var day: String
    var time: String
    var fraction: String

    init?(_ date: Date) {
      let seconds = date.timeIntervalSinceReferenceDate
      // The limit is about a hundred million years. Up to it, a Double represents every second exactly.
      guard seconds.magnitude < 3e15 else { return nil }
      // Round to microseconds first, so that 0.1 + 0.2 does not print as 0.30000000000000004.
      let whole = seconds.rounded(.down)
      var microseconds = Int(((seconds - whole) * 1_000_000).rounded())
      var secondsSince2001 = Int(whole)
      if microseconds == 1_000_000 {
        microseconds = 0
        secondsSince2001 += 1
      }
      let (days, secondOfDay) = secondsSince2001.flooredDivision(by: 86_400)
      // There are 11,323 days from 1970 to 2001.
      day = Self.dayText(daysSince1970: days + 11_323)
      time =
        "\(padded(secondOfDay / 3600, 2)):\(padded(secondOfDay / 60 % 60, 2)):\(padded(secondOfDay % 60, 2))"
      fraction = ""
      if microseconds != 0 {
        var digits = Substring(padded(microseconds, 6))
        while digits.last == "0" { digits.removeLast() }
        fraction = ".\(digits)"
      }
    }

    /// Returns the text of a day. The calculation is Howard Hinnant's `civil_from_days`,
    /// <https://howardhinnant.github.io/date_algorithms.html>.
    private static func dayText(daysSince1970 days: Int) -> String {
      // Years begin on March 1 here, so that a leap day is the last day of its year. An era is 400
      // years, after which the calendar repeats.
      let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
      let yearOfEra =
        (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
      let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
      let shiftedMonth = (5 * dayOfYear + 2) / 153
      let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
      let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
      let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
      let sign = year < 0 ? "-" : year > 9_999 ? "+" : ""
      return "\(sign)\(padded(Int(year.magnitude), 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
  }
}

private func padded(_ number: Int, _ count: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, count - digits.count)) + digits
}
