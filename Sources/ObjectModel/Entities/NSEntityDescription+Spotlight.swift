extension NSEntityDescription {
  /// The expression whose value Spotlight displays for an object. It is stored, but not used here.
  ///
  /// The default is the object itself.
  public final var coreSpotlightDisplayNameExpression: Predicates.NSExpression {
    get {
      spotlightDisplayText.flatMap { try? NSExpression(validating: $0) }
        ?? NSExpression.expressionForEvaluatedObject()
    }
    set { spotlightDisplayText = newValue.description }
  }
}
