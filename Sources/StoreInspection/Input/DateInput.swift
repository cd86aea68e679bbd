package import CoreData

/// Parses dates as people and `coredata fetch` write them.
package enum DateInput {
  /// Returns the date that a string denotes: in one of the forms that conditions accept, `now`, or `1.5 seconds since
  /// 2001`, the form in which ``DateText`` writes dates outside the calendar. Returns nil for any other string.
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
