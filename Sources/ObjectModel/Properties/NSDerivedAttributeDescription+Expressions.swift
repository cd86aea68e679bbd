public import Foundation
public import Predicates

extension NSDerivedAttributeDescription {
  /// The expression that gives the value: a key path through one to-one relationship, `canonical:`,
  /// `uppercase:` or `lowercase:` of one, an operator such as `@count` over a to-many relationship,
  /// or `now()`.
  public final var derivationExpression: Predicates.NSExpression? {
    get { derivationText.flatMap { try? NSExpression(validating: $0) } }
    set { derivationText = newValue.map { DerivationExpression(text: $0.description).editorText } }
  }

  /// The predicate that the rows which are counted or added up must meet.
  public final var filteringPredicate: NSPredicate? {
    get { filterText.flatMap { try? NSPredicate(validating: $0) } }
    set { filterText = newValue?.formatText }
  }
}
