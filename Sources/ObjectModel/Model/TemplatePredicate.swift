/// A predicate of a fetch request that a model holds.
///
/// A program's request is kept with its predicate as it is; text would lose constants that the predicate language
/// has no literal for. Files that keep text are read as text, which is parsed when the request is used.
package enum TemplatePredicate: @unchecked Sendable {
  /// The text of a file.
  case format(String)
  /// The predicate of a program's request, or of an archive.
  case predicate(NSPredicate)
}

extension TemplatePredicate {
  /// The predicate's text.
  package var text: String {
    switch self {
    case .format(let text): text
    case .predicate(let predicate): predicate.formatText
    }
  }

  /// Returns the predicate.
  ///
  /// - Throws: An `InvalidPredicateError` for a text that cannot be parsed.
  package func makePredicate() throws -> NSPredicate {
    switch self {
    case .format(let text): try NSPredicate(validating: text)
    case .predicate(let predicate): predicate
    }
  }

  /// The text for a file that keeps predicates as text; nil for a predicate that cannot be read from its text again.
  var fileText: String? {
    guard case .predicate(let predicate) = self else { return text }
    let text = predicate.formatText
    guard PredicateConstants.haveText(predicate), let parsed = try? NSPredicate(validating: text),
      parsed.formatText == text
    else { return nil }
    return text
  }
}

extension TemplatePredicate: Hashable {
  /// Returns whether two predicates are equal; a text equals a predicate that prints the same.
  package static func == (one: TemplatePredicate, other: TemplatePredicate) -> Bool {
    if case .predicate(let one) = one, case .predicate(let other) = other {
      return one === other || one.isEqual(other)
    }
    return one.text == other.text
  }

  /// Adds nothing: equal predicates may print differently, such as a list of constants and a list of expressions.
  package func hash(into hasher: inout Hasher) {}
}
