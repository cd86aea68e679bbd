extension NSExpression {
  /// Creates an expression from its text, with values for `%@`, `%K`, `%d` and other placeholders.
  ///
  /// An error in the text stops the program with a message that contains the error and its position.
  ///
  /// ```swift
  /// let later = NSExpression(format: "%K + %d", "age", 10)
  /// print(later.expressionValue(with: person, context: nil) as? Int ?? 0)  // 46
  /// ```
  public convenience init(format expressionFormat: String, _ args: any CVarArg...) {
    self.init(
      parsed: stoppingOnError { try Parser.expression(expressionFormat, arguments: args) })
  }

  /// Creates an expression from its text, with objects of any class for `%@`, even one that does not conform to
  /// `CVarArg`.
  @_disfavoredOverload
  public convenience init(format expressionFormat: String, _ objects: NSObject...) {
    self.init(
      parsed: stoppingOnError { try Parser.expression(expressionFormat, arguments: objects) })
  }

  /// Creates an expression from its text, with values in an array.
  ///
  /// An error in the text stops the program with a message that contains the error and its position.
  ///
  /// ```swift
  /// let double = NSExpression(format: "%K * %@", argumentArray: ["age", 2])
  /// print(double.expressionValue(with: person, context: nil) as? Int ?? 0)  // 72
  /// ```
  public convenience init(format expressionFormat: String, argumentArray arguments: [Any]) {
    self.init(
      parsed: stoppingOnError {
        try Parser.expression(expressionFormat, arguments: arguments)
      })
  }

  /// Creates an expression from its text, with values from a function's variable arguments.
  ///
  /// The format determines the types of the values. An error in the text stops the program with a message
  /// that contains the error and its position.
  public convenience init(format expressionFormat: String, arguments argList: CVaListPointer) {
    self.init(
      parsed: stoppingOnError {
        try Parser.expression(
          expressionFormat,
          arguments: VariableArguments.values(for: expressionFormat, in: argList))
      })
  }

  /// Creates an expression from a string that may be invalid, with values from a function's variable arguments.
  ///
  /// - Throws: An ``InvalidPredicateError`` that contains the error and its position.
  public convenience init(
    validating expressionFormat: String, arguments argList: CVaListPointer
  ) throws {
    self.init(
      parsed: try Parser.expression(
        expressionFormat, arguments: VariableArguments.values(for: expressionFormat, in: argList)))
  }

  /// Creates an expression from a string that may be invalid, such as user input.
  ///
  /// - Throws: An ``InvalidPredicateError`` that contains the error and its position.
  ///
  /// ```swift
  /// do {
  ///   _ = try NSExpression(validating: "age +")
  /// } catch {
  ///   print(error.localizedDescription)
  /// }
  /// ```
  public convenience init(validating expressionFormat: String, arguments: [Any] = []) throws {
    self.init(parsed: try Parser.expression(expressionFormat, arguments: arguments))
  }

  /// Creates an expression from a parsed one. The initializer returns the parsed object itself if it is a fetch
  /// expression.
  private convenience init(parsed: NSExpression) {
    // A fetch expression keeps its parts in its own properties, which a copy of the node would lose.
    if case .custom = parsed.node, let replacement = parsed as? Self {
      self.init(_replacing: replacement)
    } else {
      self.init(node: parsed.node)
    }
  }
}

extension NSExpression: ReplaceableByInitializer {}
