/// Allows an initializer of a class to return an instance of a subclass, which Swift permits only in an
/// extension of a protocol.
public protocol ReplaceableByInitializer {}

extension ReplaceableByInitializer {
  /// Initializes by returning another instance.
  package init(_replacing replacement: Self) { self = replacement }
}

extension NSPredicate: ReplaceableByInitializer {}

extension ReplaceableByInitializer where Self: NSPredicate {
  /// Creates a predicate that has no condition and is true for every object. `NSComparisonPredicate()` is `nil == nil`.
  ///
  /// Compared to Apple's Core Data: Apple's predicate raises an exception when it is evaluated or printed.
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
      stopProgram("\(Self.self) has its own initializers and cannot be created with init()")
    }
    self.init(_replacing: predicate)
  }
}

extension NSPredicate {
  /// Creates a predicate from its text, with values for `%@`, `%K`, `%d` and other placeholders.
  ///
  /// ```swift
  /// NSPredicate(format: "age > %d AND name BEGINSWITH[c] %@", 30, "a")
  /// ```
  ///
  /// An error in the text stops the program with a message that contains the error and its position. For
  /// user input, use ``Foundation/NSPredicate/init(validating:arguments:)-(_,[Any])``.
  ///
  /// Compared to Apple's Core Data: `%@` accepts a value of any type, including numbers.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(parsed: stoppingOnError { try Parser.predicate(predicateFormat, arguments: args) })
  }

  /// Creates a predicate from its text, with objects of any class for `%@`.
  ///
  /// This initializer accepts objects whose class does not conform to `CVarArg`, such as a class that your program
  /// defines. To mix such objects with Swift values (`%d`), declare the conformance: `extension Token: CVarArg {}`.
  ///
  /// Compared to Apple's Core Data: on Apple's platforms, every object is a `CVarArg`.
  @_disfavoredOverload
  public convenience init(format predicateFormat: String, _ objects: NSObject...) {
    self.init(parsed: stoppingOnError { try Parser.predicate(predicateFormat, arguments: objects) })
  }

  /// Creates a predicate from its text, with values in an array.
  ///
  /// An error in the text stops the program with a message that contains the error and its position.
  ///
  /// ```swift
  /// let values: [Any] = ["lastName", "Turing"]
  /// let predicate = NSPredicate(format: "%K == %@", argumentArray: values)
  /// print(people.filter { predicate.evaluate(with: $0) }.count)  // 1
  /// ```
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(
      parsed: stoppingOnError {
        try Parser.predicate(predicateFormat, arguments: arguments ?? [])
      })
  }

  /// Creates a predicate from its text, with values from a function's variable arguments.
  ///
  /// The format determines the types of the values: `%d` needs a 32-bit integer and `%@` an object. An
  /// error in the text stops the program with a message that contains the error and its position.
  public convenience init(format predicateFormat: String, arguments argList: CVaListPointer) {
    self.init(
      parsed: stoppingOnError {
        try Parser.predicate(
          predicateFormat,
          arguments: VariableArguments.values(for: predicateFormat, in: argList))
      })
  }

  /// Creates a predicate from a string that may be invalid, with values from a function's variable arguments.
  ///
  /// - Throws: An ``InvalidPredicateError`` that contains the error and its position.
  public convenience init(
    validating predicateFormat: String, arguments argList: CVaListPointer
  ) throws {
    self.init(
      parsed: try Parser.predicate(
        predicateFormat, arguments: VariableArguments.values(for: predicateFormat, in: argList)))
  }

  /// Creates a predicate from a string that may be invalid, such as user input.
  ///
  /// - Throws: An ``InvalidPredicateError`` that contains the error and its position.
  ///
  /// ```swift
  /// func filter(_ text: String) -> NSPredicate? {
  ///   do {
  ///     return try NSPredicate(validating: text)
  ///   } catch {
  ///     print(error.localizedDescription)
  ///     return nil
  ///   }
  /// }
  /// ```
  public convenience init(validating predicateFormat: String, arguments: [Any] = []) throws {
    self.init(parsed: try Parser.predicate(predicateFormat, arguments: arguments))
  }

  private convenience init(parsed: NSPredicate) {
    guard let replacement = parsed as? Self else {
      stopProgram("the format does not describe a predicate of the class \(Self.self)")
    }
    self.init(_replacing: replacement)
  }
}
