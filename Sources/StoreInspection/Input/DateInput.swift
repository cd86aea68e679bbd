package import CoreData

/// Reads dates as people and `coredata fetch` write them.
package enum DateInput {
  /// The date a text names, as in a condition; `now` is now. Nil where it names none.
  package static func date(_ text: String) -> Date? {
    text == "now" ? Date() : CoreData.DateText.date(from: text)
  }
}
