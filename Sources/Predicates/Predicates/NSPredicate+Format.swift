/// Lets an initialiser of a class answer an instance of a subclass, which Swift allows in a
/// protocol's extension only.
public protocol ReplaceableByInitializer {}

extension ReplaceableByInitializer {
  /// Makes the new instance be the given one.
  package init(_replacing replacement: Self) { self = replacement }
}

extension NSPredicate: ReplaceableByInitializer {}

extension ReplaceableByInitializer where Self: NSPredicate {
  /// A predicate without a condition, which holds for every object; of the class of comparisons, `nil == nil`.
  ///
  /// Compared to Apple's Core Data: there such a predicate raises an exception when it is evaluated
  /// or printed.
  public init() {
    let predicate: NSPredicate =
      switch Self.self {
      case is NSCompoundPredicate.Type: NSCompoundPredicate(andPredicateWithSubpredicates: [])
      case is NSComparisonPredicate.Type:
        NSComparisonPredicate(
          leftExpression: NSExpression(), rightExpression: NSExpression(), modifier: .direct,
          type: .equalTo)
      default: ConstantPredicate(value: true)
      }
    guard let predicate = predicate as? Self else {
      stopProgram("\(Self.self) is made with an initialiser of its own")
    }
    self.init(_replacing: predicate)
  }
}

extension NSPredicate {
  /// A predicate from its text, with values for `%@`, `%K`, `%d` and the like.
  ///
  /// ```swift
  /// NSPredicate(format: "age > %d AND name BEGINSWITH[c] %@", 30, "a")
  /// ```
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where. For
  /// text that a user typed, take ``Foundation/NSPredicate/init(validating:arguments:)``.
  ///
  /// Compared to Apple's Core Data: a value of any type is good for `%@`, numbers included.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(parsed: stoppingOnError { try Parser.predicate(predicateFormat, arguments: args) })
  }

  /// A predicate from its text, with objects of any class for `%@`.
  ///
  /// It takes arguments of which some are of a class that is no `CVarArg`, such as one of the program's own. Beside
  /// values of Swift (`%d`) such a class needs the conformance: `extension Token: CVarArg {}`.
  ///
  /// Compared to Apple's Core Data: every object is a `CVarArg` there.
  @_disfavoredOverload
  public convenience init(format predicateFormat: String, _ objects: NSObject...) {
    self.init(parsed: stoppingOnError { try Parser.predicate(predicateFormat, arguments: objects) })
  }

  /// A predicate from its text, with values in an array.
  ///
  /// A mistake in the text stops the program with a message that says what is wrong and where.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(
      parsed: stoppingOnError {
        try Parser.predicate(predicateFormat, arguments: arguments ?? [])
      })
  }

  /// A predicate from its text, with values from a function's variable arguments.
  ///
  /// The format says of which types they are, so `%d` must meet a whole number of 32 bits and
  /// `%@` an object. A mistake in the text stops the program with a message that says what is
  /// wrong and where.
  public convenience init(format predicateFormat: String, arguments argList: CVaListPointer) {
    self.init(
      parsed: stoppingOnError {
        try Parser.predicate(
          predicateFormat,
          arguments: VariableArguments.values(for: predicateFormat, in: argList))
      })
  }

  /// A predicate from text that may be wrong, with values from a function's variable arguments.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(
    validating predicateFormat: String, arguments argList: CVaListPointer
  ) throws {
    self.init(
      parsed: try Parser.predicate(
        predicateFormat, arguments: VariableArguments.values(for: predicateFormat, in: argList)))
  }

  /// A predicate from text that may be wrong, such as one that a user typed.
  ///
  /// - Throws: a ``InvalidPredicateError`` that says what is wrong and at which character.
  public convenience init(validating predicateFormat: String, arguments: [Any] = []) throws {
    self.init(parsed: try Parser.predicate(predicateFormat, arguments: arguments))
  }

  private convenience init(parsed: NSPredicate) {
    guard let replacement = parsed as? Self else {
      stopProgram("A format makes an NSPredicate, not a \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
