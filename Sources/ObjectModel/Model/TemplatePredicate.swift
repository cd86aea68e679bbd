/// A predicate of a fetch request in a model.
///
/// The predicate of a program's request is stored as an object, because text would lose constants for which the
/// predicate language has no literal. Predicates in text files are stored as text, which is parsed on use.
package enum TemplatePredicate: @unchecked Sendable {
  /// The text in a file.
  case format(String)
  /// The predicate of a program's request, or one of an archive with constants that have no literal.
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
  /// - Throws: An `InvalidPredicateError` for a string that cannot be parsed.
  package func makePredicate() throws -> NSPredicate {
    switch self {
    case .format(let text): try NSPredicate(validating: text)
    case .predicate(let predicate): predicate
    }
  }

  /// The text for a file that stores predicates as text; nil if the predicate cannot be recovered from its text.
  var fileText: String? {
    guard case .predicate(let predicate) = self else { return text }
    return predicate.fileText
  }
}

extension TemplatePredicate: Hashable {
  /// Returns whether two predicates are equal. A string equals a predicate with the same text.
  package static func == (one: TemplatePredicate, other: TemplatePredicate) -> Bool {
    if case .predicate(let one) = one, case .predicate(let other) = other {
      return one === other || one.isEqual(other)
    }
    return one.text == other.text
  }

  /// Hashes nothing, because equal predicates may have different texts, such as a list of constants and a list of
  /// expressions.
  package func hash(into hasher: inout Hasher) {}
}
