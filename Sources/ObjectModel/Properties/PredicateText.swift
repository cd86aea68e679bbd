/// Which of the two classes of that name is meant here: Foundation's own cannot be made.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate

extension NSPredicate {
  /// The predicate's text in the predicate language.
  var formatText: String { foundationFormat(of: self) }
}
