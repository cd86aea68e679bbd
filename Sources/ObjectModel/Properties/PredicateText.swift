/// Selects the class of the module Predicates, because Foundation's class with the same name cannot be instantiated.
typealias NSExpression = Predicates.NSExpression
typealias NSComparisonPredicate = Predicates.NSComparisonPredicate

extension NSPredicate {
  /// The predicate's text in the predicate language.
  var formatText: String { foundationFormat(of: self) }

  /// The text for a file that stores predicates as text; nil if the predicate cannot be recovered from its text.
  var fileText: String? {
    let text = formatText
    // Some printed text is parsed as a different predicate, so use the text only if the parsed predicate
    // prints the same text.
    guard PredicateConstants.haveText(self), let parsed = try? NSPredicate(validating: text),
      parsed.formatText == text
    else { return nil }
    return text
  }
}
