/// Selects the class of the module Predicates, because Foundation's class with the same name cannot be instantiated.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate

extension NSPredicate {
  /// The predicate's text in the predicate language.
  var formatText: String { foundationFormat(of: self) }
}
