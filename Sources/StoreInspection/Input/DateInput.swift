package import CoreData

/// Reads dates as people and `coredata fetch` write them.
package enum DateInput {
  /// The date a text names, as in a condition; `now` is now, and `1.5 seconds since 2001` is how dates are written that no
  /// calendar reaches. Nil where it names none.
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
