/// A part of a predicate that has a value: a constant, a key path, a variable, a function call, a
/// list, a subquery.
///
/// Expressions are immutable and equal when they have the same structure. They may be used from
/// any thread; what a constant or a block holds is then used from those threads as well.
///
/// Compared to Apple's Core Data: an accessor that does not apply to the kind of an expression
/// (`keyPath` of a constant) stops the program with a message that names both, as Apple's raises.
nonisolated open class NSExpression: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The kinds of expressions, with Apple's raw values.
  public enum ExpressionType: UInt, Sendable {
    /// A value that is always the same.
    case constantValue = 0
    /// The object under evaluation.
    case evaluatedObject = 1
    /// A value looked up by name when the predicate is evaluated.
    case variable = 2
    /// A key path from the object under evaluation.
    case keyPath = 3
    /// A function call, or a key path that begins at another expression.
    case function = 4
    /// The union of two collections.
    case unionSet = 5
    /// The intersection of two collections.
    case intersectSet = 6
    /// One collection without the elements of another.
    case minusSet = 7
    /// The elements of a collection that fulfil a predicate.
    case subquery = 13
    /// A list of expressions.
    case aggregate = 14
    /// Any key.
    case anyKey = 15
    /// Swift code.
    case block = 19
    /// One of two expressions, as a predicate decides.
    case conditional = 20
    /// What a fetch gives: ``NSFetchRequestExpression``.
    case fetchRequest = 50
  }

  /// The code of a block expression: from the object under evaluation, the values of the
  /// arguments and the context to a value.
  public typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

  /// What the expression is made of; never changed but at its end.
  @exclusivity(unchecked)
  package final private(set) var node: ExpressionNode

  /// The levels of the tree below and including this expression.
  package let height: Int

  /// The levels of recursion that evaluating the expression takes.
  let nesting: Int

  /// Whether there are variables in the expression, a subquery's own included.
  let hasVariables: Bool

  /// Makes an expression of a node.
  package init(node: ExpressionNode) {
    self.node = node
    if case .constant(let value) = node {
      // Looked into once: it may be a long list.
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
      defer { node = .evaluatedObject }
      return node.children
    }
  }

  /// The initialiser for subclasses, which override ``expressionValue(with:context:)``.
  ///
  /// An instance of `NSExpression` itself made in this way is meaningful for the kinds
  /// `evaluatedObject` and `anyKey` only.
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

  /// Makes the constant nil.
  public override convenience init() { self.init(node: .constant(nil)) }

  /// Reads an expression from an archive.
  ///
  /// - Returns: nil for a damaged archive; the coder then has an error that says what is wrong.
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
  /// An expression made of Swift code, or with a constant of a type that archives do not keep,
  /// writes why it cannot be kept; reading it fails with that reason. ``archivedData()`` throws it
  /// at once.
  open func encode(with coder: NSCoder) {
    Coding.encoding(
      coder, Archivability.refusal(of: self).map { "the expression was not kept, because \($0)" }
    ) {
      encodeParts(with: coder)
    }
  }

  /// The class that archives name, one a kind of expressions.
  open override var classForKeyedArchiver: AnyClass? { node.codingClass }

  /// Apple's name for the class that archives name.
  open override class func classFallbacksForKeyedArchiver() -> [String] { CodingNames.hint(self) }

  /// The expression itself: it cannot change.
  open override func copy() -> Any { self }

  /// The expression itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text, which parses to an equal expression.
  open override var description: String { ExpressionPrinter.text(of: self) }

  /// Whether the other object is an expression with the same structure.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSExpression else { return false }
    // A subclass that evaluates itself says by an override when it equals another.
    if case .custom = node { return self === other }
    return StructuralEquality.areEqual(self, other)
  }

  /// Equal for equal expressions.
  open override var hash: Int {
    var hasher = Hasher()
    StructuralEquality.hash(self, into: &hasher)
    return hasher.finalize()
  }

  /// The expression's value for an object.
  ///
  /// The context holds the values of variables by name, and is passed to block expressions.
  ///
  /// A number is an `NSNumber`, which casts to every type of Swift that holds it.
  ///
  /// Compared to Apple's Core Data: an error (an unknown key, arithmetic with text) is logged and
  /// gives nil, where Apple's raises an exception. ``evaluated(with:context:)`` throws it.
  open func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      return try evaluated(with: object, context: context)
    } catch {
      EvaluationLog.record(error, of: description)
      return nil
    }
  }
}
