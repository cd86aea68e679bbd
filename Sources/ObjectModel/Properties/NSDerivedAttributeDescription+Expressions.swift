extension NSDerivedAttributeDescription {
  /// The expression that computes the value: a key path to an attribute, possibly through to-one
  /// relationships; an operator such as `@count` over a to-many relationship; a predefined function of such
  /// values and of constants, such as `uppercase:(team.name)` or `price * 2`; or `now()`. Nil if there is none, or if
  /// the text in a model file is not a valid expression.
  ///
  /// A SQLite store computes the value during a save whenever an object that the expression depends on is saved. After
  /// the save, the object with the attribute has the new value.
  ///
  /// Using a model with any other expression is an error. A function that a store's statements cannot compute, such
  /// as `uppercase:` of a number, is an error when the store is added, and so is a value of another type than the
  /// attribute's.
  ///
  /// Compared to Apple's Core Data: Apple documents only `canonical:`, `uppercase:`, `lowercase:` and the operators.
  /// Here, derived attributes support the same functions as fetches from a store.
  public final var derivationExpression: Predicates.NSExpression? {
    get { derivationText.flatMap { try? NSExpression(validating: $0) } }
    // Store the editor's spelling, which source files contain.
    set { derivationText = newValue.map { DerivationExpression(text: $0.description).editorText } }
  }

  /// The predicate that selects the rows to count or add up; nil if there is none, or if the text in a model file is
  /// not a valid predicate.
  ///
  /// Compared to Apple's Core Data: an attribute with such a predicate stays in the model but has no value, and a log
  /// message reports it.
  public final var filteringPredicate: NSPredicate? {
    get { filterText.flatMap { try? NSPredicate(validating: $0) } }
    set { filterText = newValue?.formatText }
  }
}
