extension NSEntityDescription {
  /// The expression whose value Spotlight displays for an object. The library stores it but does not use it.
  ///
  /// The default is the object itself. It is also returned if the stored text is not a valid expression.
  public final var coreSpotlightDisplayNameExpression: Predicates.NSExpression {
    get {
      spotlightDisplayText.flatMap { try? NSExpression(validating: $0) }
        ?? NSExpression.expressionForEvaluatedObject()
    }
    set { spotlightDisplayText = newValue.description }
  }
}
