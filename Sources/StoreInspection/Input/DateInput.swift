package import CoreData

/// Parses dates as people and `coredata fetch` write them.
package enum DateInput {
  /// Returns the date that a string denotes; nil if it denotes none. The string is `now`, a date in one of the forms
  /// that conditions accept, or a text such as `1.5 seconds since 2001`, the form in which ``DateText`` writes dates
  /// outside the calendar.
  package static func date(_ text: String) -> Date? {
    if text == "now" { return Date() }
    if let seconds = text.wholeMatch(of: /([-+.0-9e]+) seconds since 2001/).flatMap({ Double($0.1) }
    ),
      seconds.isFinite
    {
      return Date(timeIntervalSinceReferenceDate: seconds)
    }
    return DateParser.date(from: text)
  }
}
