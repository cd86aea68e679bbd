extension NSDerivedAttributeDescription {
  /// The expression that gives the value: a key path to an attribute, through to-one relationships or
  /// none; an operator such as `@count` over a to-many relationship; a predefined function of such
  /// values and of constants, such as `uppercase:(team.name)` or `price * 2`; or `now()`.
  ///
  /// A SQLite store computes it when objects are saved that it reads, and the object with the attribute
  /// then has the new value.
  ///
  /// Other expressions are an error when the model is used. A function that a store's statements cannot compute, such
  /// as `uppercase:` of a number, is one when the store is added.
  ///
  /// Compared to Apple's Core Data: which functions its stores compute is not documented beyond `canonical:`,
  /// `uppercase:`, `lowercase:` and the operators; here they are those that a fetch computes.
  public final var derivationExpression: Predicates.NSExpression? {
    get { derivationText.flatMap { try? NSExpression(validating: $0) } }
    set { derivationText = newValue.map { DerivationExpression(text: $0.description).editorText } }
  }

  /// The predicate that the rows which are counted or added up must meet.
  ///
  /// Compared to Apple's Core Data: an attribute with one is kept in the model, but has no value; the log says so.
  public final var filteringPredicate: NSPredicate? {
    get { filterText.flatMap { try? NSPredicate(validating: $0) } }
    set { filterText = newValue?.formatText }
  }
}
