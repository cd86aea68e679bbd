package import CoreData

/// Parses dates as people and `coredata fetch` write them.
package enum DateInput {
  /// Returns the date for a string in one of the forms that conditions accept, for `now`, or for `1.5 seconds since
  /// 2001`, which is how dates outside the calendar are written. Returns nil for any other text.
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
