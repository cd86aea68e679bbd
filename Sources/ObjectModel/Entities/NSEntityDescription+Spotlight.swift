extension NSEntityDescription {
  /// The expression whose value Spotlight displays for an object. The library stores it but does not use it.
  ///
  /// The default, also used if a model file contains an invalid expression, is the object itself.
  public final var coreSpotlightDisplayNameExpression: Predicates.NSExpression {
    get {
      spotlightDisplayText.flatMap { try? NSExpression(validating: $0) }
        ?? NSExpression.expressionForEvaluatedObject()
    }
    set { spotlightDisplayText = newValue.description }
  }
}
