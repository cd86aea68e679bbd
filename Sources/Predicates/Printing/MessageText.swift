import Foundation

/// Writes values of any type into messages.
package enum MessageText {
  /// The text of a value.
  ///
  /// Foundation's own description of a date far beyond all calendars, or of none, stops the program; such a date,
  /// and a list, which may have one, is written as predicates print it.
  package static func text(of value: Any?) -> String {
    switch Scalar(value) {
    case .date(let date) where !isDescribable(date): ConstantPrinter.text(of: value)
    case .other where KeyValueCollection(value) != nil: ConstantPrinter.text(of: value)
    default: "\(value ?? "nil")"
    }
  }

  private static func isDescribable(_ date: Date) -> Bool {
    abs(date.timeIntervalSinceReferenceDate) < 1e14
  }
}
