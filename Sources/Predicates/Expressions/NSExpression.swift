/// A part of a predicate that has a value: a constant, a key path, a variable, a function call, a
/// list, a subquery.
///
/// Expressions are immutable, and equal if they have the same structure. They may be used from
/// any thread; the values of constants and the code of blocks are then used from those threads too.
///
/// Compared to Apple's Core Data: a property that does not apply to the kind of expression, such as
/// `keyPath` of a constant, stops the program with a message that identifies both. Apple's Core Data
/// raises an exception.
///
/// ```swift
/// let expression = NSExpression(format: "age * 2")
/// print(expression.expressionValue(with: person, context: nil) as? Int ?? 0)  // 72
/// ```
nonisolated open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The kinds of expressions, with Apple's raw values.
  public enum ExpressionType: UInt, Sendable {
    /// A value that is always the same.
    case constantValue = 0
    /// The evaluated object.
    case evaluatedObject = 1
    /// A value that is looked up by name when the predicate is evaluated.
    case variable = 2
    /// A key path from the evaluated object.
    case keyPath = 3
    /// A function call, or a key path that begins at another expression.
    case function = 4
    /// The union of two collections.
    case unionSet = 5
    /// The intersection of two collections.
    case intersectSet = 6
    /// One collection without the elements of another.
    case minusSet = 7
    /// The elements of a collection for which a predicate is true.
    case subquery = 13
    /// A list of expressions.
    case aggregate = 14
    /// Any key.
    case anyKey = 15
    /// Swift code.
    case block = 19
    /// One of two expressions, depending on a predicate.
    case conditional = 20
    /// The result of a fetch: ``NSFetchRequestExpression``.
    case fetchRequest = 50
  }

  /// The code of a block expression. It receives the evaluated object, the values of the arguments and
  /// the context, and returns a value.
  public typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

  /// The structure of the expression. Only the deinitializer changes it.
  @exclusivity(unchecked)
  package final private(set) var node: ExpressionNode

  /// The number of levels of the tree at and below this expression.
  package let height: Int

  /// The recursion depth for evaluating the expression, in levels.
  let nesting: Int

  /// Whether the expression contains variables, including those of subqueries. Also true if it contains a conditional,
  /// which is not searched.
  let hasVariables: Bool

  /// Creates an expression from a node.
  package init(node: ExpressionNode) {
    self.node = node
    if case .constant(let value) = node {
      // Walk the constant only once, because it may be a long list.
      height = NestedValues.heightAsConstant(value)
      nesting = height
      hasVariables = false
    } else {
      height = node.height
      nesting = node.nesting
      hasVariables = node.hasVariables
    }
  }

  deinit {
    DeferredRelease.release(height: height) {
      // Drop this object's references to the children, because `DeferredRelease` must hold the last ones.
      defer { node = .evaluatedObject }
      return node.children
    }
  }

  /// The initializer for subclasses, which override ``expressionValue(with:context:)``.
  ///
  /// An instance of `NSExpression` itself is useful only with the types `evaluatedObject` and
  /// `anyKey`.
  public init(expressionType type: ExpressionType) {
    switch type {
    case .evaluatedObject: node = .evaluatedObject
    case .anyKey: node = .anyKey
    default: node = .custom(type)
    }
    height = 1
    nesting = 1
    hasVariables = false
  }

  /// Creates the null constant.
  public override convenience init() { self.init(node: .constant(nil)) }

  /// Reads an expression from an archive.
  ///
  /// - Returns: Nil for a damaged archive. If the coder's `decodingFailurePolicy` is `.setErrorAndReturn`, its error
  ///   contains the reason.
  public required init?(coder: NSCoder) {
    guard let node = Coding.decoding(coder, { try ExpressionDecoder.node(coder) }) else {
      return nil
    }
    self.node = node
    height = node.height
    nesting = node.nesting
    hasVariables = node.hasVariables
  }

  /// Writes the expression into an archive, under the keys that Apple's Foundation uses.
  ///
  /// If an archive cannot hold the expression, this method writes the reason instead, and reading the archive fails
  /// with that reason. ``archivedData()`` throws the error immediately.
  open func encode(with coder: NSCoder) {
    Coding.encoding(
      coder,
      Archivability.refusal(of: self).map { "the expression was not archived, because \($0)" }
    ) {
      encodeParts(with: coder)
    }
  }

  /// The class whose name is written into archives. It depends on the kind of expression.
  open override var classForKeyedArchiver: AnyClass? { node.codingClass }

  /// Apple's name for the class in archives.
  open override class func classFallbacksForKeyedArchiver() -> [String] { CodingNames.hint(self) }

  /// Returns the expression itself, which is immutable.
  open override func copy() -> Any { self }

  /// Returns the expression itself, which is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text. It parses to an equal expression, unless the expression contains Swift code, or a constant
  /// that has no exact form in the language, such as an object.
  open override var description: String { ExpressionPrinter.text(of: self) }

  /// Returns whether the other object is an expression with the same structure. An expression of a subclass that
  /// evaluates itself is equal only to itself, unless the subclass overrides this method.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSExpression else { return false }
    // A subclass that evaluates itself overrides this method to compare its own state.
    if case .custom = node { return self === other }
    return StructuralEquality.areEqual(self, other)
  }

  /// A hash value that is equal for equal expressions.
  open override var hash: Int {
    var hasher = Hasher()
    StructuralEquality.hash(self, into: &hasher)
    return hasher.finalize()
  }

  /// Returns the expression's value for an object.
  ///
  /// The context contains the values of variables by name. Block expressions receive it too.
  ///
  /// A number is an `NSNumber`, which casts to every Swift type that can represent it.
  ///
  /// Compared to Apple's Core Data: after an error (an unknown key, arithmetic with text) this method logs
  /// the error and returns nil, where Apple's Core Data raises an exception.
  /// ``evaluated(with:context:)`` throws the error.
  ///
  /// ```swift
  /// let total = NSExpression(format: "players.@sum.age + $extra")
  /// print(total.expressionValue(with: team, context: ["extra": 4]) as? Int ?? 0)  // 50
  /// ```
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return try evaluated(with: object, context: context)
    } catch {
      EvaluationLog.record(error, of: description)
      return nil
    }
  }
}
