extension NSEntityDescription {
  /// The expression whose value Spotlight shows for an object. Kept, and used by nothing here.
  ///
  /// The object itself where none was set.
  public final var coreSpotlightDisplayNameExpression: Predicates.NSExpression {
    get {
      spotlightDisplayText.flatMap { try? NSExpression(validating: $0) }
        ?? NSExpression.expressionForEvaluatedObject()
    }
    set { spotlightDisplayText = newValue.description }
  }
}
