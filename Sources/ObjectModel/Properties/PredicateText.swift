import Foundation
import Predicates

/// Which of the two classes of that name is meant here: Foundation's own cannot be made.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate

/// A way to ask a predicate for its text that does not meet Foundation's warning, which is about
/// Foundation's own predicates.
private protocol FormatDescribing {
  var predicateFormat: String { get }
}

extension NSPredicate: FormatDescribing {}

extension NSPredicate {
  /// The predicate's text in the predicate language.
  var formatText: String {
    func text<Described: FormatDescribing>(of described: Described) -> String {
      described.predicateFormat
    }
    return text(of: self)
  }
}
