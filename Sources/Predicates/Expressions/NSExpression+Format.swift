import Foundation

extension NSExpression {
  /// An expression from its text, with values for `%@`, `%K`, `%d` and the like.
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where.
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(
      node: stoppingOnError { try Parser.expression(expressionFormat, arguments: args) }.node)
  }

  /// An expression from its text, with values in an array.
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where.
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(
      node: stoppingOnError {
        try Parser.expression(expressionFormat, arguments: arguments)
      }.node)
  }

  /// An expression from its text, with values from a function's variable arguments.
  ///
  /// The format says of which types they are. A mistake in the text stops the program with a
  /// message that says what is wrong and where.
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    self.init(
      node: stoppingOnError {
        try Parser.expression(
          expressionFormat,
          arguments: VariableArguments.values(for: expressionFormat, in: argList))
      }.node)
  }

  /// An expression from text that may be wrong, with values from a function's variable arguments.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(
    validating expressionFormat: String, arguments argList: CVaListPointer
  ) throws {
    self.init(
      node: try Parser.expression(
        expressionFormat, arguments: VariableArguments.values(for: expressionFormat, in: argList)
      ).node)
  }

  /// An expression from text that may be wrong, such as one that a user typed.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(validating expressionFormat: String, arguments: [Any] = []) throws {
    self.init(node: try Parser.expression(expressionFormat, arguments: arguments).node)
  }
}
