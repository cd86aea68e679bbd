extension NSExpression {
  /// An expression from its text, with values for `%@`, `%K`, `%d` and the like.
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(
      parsed: stoppingOnError { try Parser.expression(expressionFormat, arguments: args) })
  }

  /// An expression from its text, with objects of any class for `%@`, also of one that is no `CVarArg`.
  @_disfavoredOverload
  public convenience init(format expressionFormat: String, _ objects: NSObject...) {
    self.init(
      parsed: stoppingOnError { try Parser.expression(expressionFormat, arguments: objects) })
  }

  /// An expression from its text, with values in an array.
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(
      parsed: stoppingOnError {
        try Parser.expression(expressionFormat, arguments: arguments)
      })
  }

  /// An expression from its text, with values from a function's variable arguments.
  ///
  /// The format says of which types they are. A mistake in the text stops the program with a
  /// message that says what is wrong and where.
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    self.init(
      parsed: stoppingOnError {
        try Parser.expression(
          expressionFormat,
          arguments: VariableArguments.values(for: expressionFormat, in: argList))
      })
  }

  /// An expression from text that may be wrong, with values from a function's variable arguments.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(
    validating expressionFormat: String, arguments argList: CVaListPointer
  ) throws {
    self.init(
      parsed: try Parser.expression(
        expressionFormat, arguments: VariableArguments.values(for: expressionFormat, in: argList)))
  }

  /// An expression from text that may be wrong, such as one that a user typed.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(validating expressionFormat: String, arguments: [Any] = []) throws {
    self.init(parsed: try Parser.expression(expressionFormat, arguments: arguments))
  }

  /// The expression itself where it is of a class of its own, as a fetch is.
  private convenience init(parsed: NSExpression) {
    if case .custom = parsed.node, let replacement = parsed as? Self {
      self.init(_replacing: replacement)
    } else {
      self.init(node: parsed.node)
    }
  }
}

extension NSExpression: ReplaceableByInitializer {}
