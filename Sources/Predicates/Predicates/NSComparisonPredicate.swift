import Synchronization

/// A predicate that compares the values of two expressions.
///
/// Comparisons are immutable, and equal if they have equal parts.
///
/// ```swift
/// if let adults = NSPredicate(format: "age >= 18") as? NSComparisonPredicate {
///   print(adults.leftExpression.keyPath)  // age
///   print(adults.predicateOperatorType == .greaterThanOrEqualTo)  // true
/// }
/// ```
nonisolated open class NSComparisonPredicate: Foundation.NSPredicate {
  /// The expression on the left of the operator.
  public final var leftExpression: NSExpression { left }

  /// The expression on the right of the operator.
  public var rightExpression: NSExpression { right ?? caches.rightExpression }

  /// Whether the left value itself, any of its elements or all of its elements are compared.
  public let comparisonPredicateModifier: Modifier

  /// The way the two values are compared.
  public let predicateOperatorType: Operator

  /// The options for comparing strings.
  public let options: Options

  /// The selector of an operator of type `customSelector`; otherwise nil.
  public let customSelector: Selector?

  /// The left side. Only the deinitializer changes it.
  @exclusivity(unchecked)
  private final var left: NSExpression

  /// The right side; nil if a value was substituted for a template's variable. Only the deinitializer changes it.
  @exclusivity(unchecked)
  private final var right: NSExpression?

  /// The substituted value. Its expression is created on demand, which saves one of two allocations when a template is
  /// filled in. Only the deinitializer changes it.
  @exclusivity(unchecked)
  private final var rightConstant: Any

  /// The name of the variable that is the entire right side, as in most comparisons of templates; nil if the left side
  /// contains a variable too.
  let rightVariable: String?

  private static func rightVariable(_ left: NSExpression, _ right: NSExpression) -> String? {
    left.hasVariables ? nil : right.variableName
  }

  // Retained and released manually: an `AtomicLazyReference` makes the compiler emit an extra retain in the
  // deinitializer, which measurably slows filling in a template.
  private let lazyCaches = Atomic<Unmanaged<ComparisonCaches>?>(nil)

  private var caches: ComparisonCaches {
    if let known = lazyCaches.load(ordering: .acquiring) { return known.takeUnretainedValue() }
    let made = Unmanaged.passRetained(ComparisonCaches(rightConstant: rightConstant))
    // Releasing, so that a thread that loads the pointer also sees the initialized caches.
    let (_, earlier) = lazyCaches.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard let earlier else { return made.takeUnretainedValue() }
    // Another thread stored its caches first.
    made.release()
    return earlier.takeUnretainedValue()
  }

  /// The prepared right side of a comparison with a constant string.
  final var matcher: MatcherCache { caches.matcher }

  /// The prepared elements of a constant list on the right.
  final var membership: MembershipCache { caches.membership }

  /// The number of levels of the tree.
  let cachedHeight: Int

  /// The recursion depth for evaluating the comparison, in levels.
  let cachedNesting: Int

  /// Creates a comparison with one of the operators.
  ///
  /// The type `customSelector` stops the program; use the initializer with a selector instead.
  ///
  /// ```swift
  /// let adults = NSComparisonPredicate(
  ///   leftExpression: NSExpression(forKeyPath: "age"),
  ///   rightExpression: NSExpression(forConstantValue: 18),
  ///   modifier: .direct, type: .greaterThanOrEqualTo)
  /// print(adults.predicateFormat)  // age >= 18
  /// ```
  public init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    if type == .customSelector {
      stopProgram("Use the initializer with a selector for an operator of type customSelector")
    }
    left = lhs
    right = rhs
    rightConstant = ()
    rightVariable = Self.rightVariable(lhs, rhs)
    comparisonPredicateModifier = modifier
    predicateOperatorType = type
    self.options = options
    customSelector = nil
    cachedHeight = 1 + max(lhs.height, rhs.height)
    cachedNesting = max(lhs.nesting, rhs.nesting)
    super.init(block: neverCalled)
  }

  /// Creates a comparison by a method of the left value, such as `isKindOfClass:`.
  public init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression,
    customSelector selector: Selector
  ) {
    left = lhs
    right = rhs
    rightConstant = ()
    rightVariable = Self.rightVariable(lhs, rhs)
    comparisonPredicateModifier = .direct
    predicateOperatorType = .customSelector
    options = []
    customSelector = selector
    cachedHeight = 1 + max(lhs.height, rhs.height)
    cachedNesting = max(lhs.nesting, rhs.nesting)
    super.init(block: neverCalled)
  }

  /// Creates the same comparison with other expressions.
  package init(
    like original: borrowing NSComparisonPredicate, leftExpression lhs: NSExpression,
    rightExpression rhs: NSExpression
  ) {
    comparisonPredicateModifier = original.comparisonPredicateModifier
    predicateOperatorType = original.predicateOperatorType
    options = original.options
    customSelector = original.customSelector
    let height = 1 + max(lhs.height, rhs.height)
    cachedHeight = height
    cachedNesting = max(lhs.nesting, rhs.nesting)
    left = lhs
    right = rhs
    rightConstant = ()
    rightVariable = Self.rightVariable(lhs, rhs)
    super.init(block: neverCalled)
  }

  /// Creates the same comparison with a constant on the right instead of a variable.
  ///
  /// - Parameter height: The height of the constant, from `NestedValues.heightAsConstant`.
  init(
    like original: borrowing NSComparisonPredicate, rightConstant value: Any, height: Int
  ) {
    comparisonPredicateModifier = original.comparisonPredicateModifier
    predicateOperatorType = original.predicateOperatorType
    options = original.options
    customSelector = original.customSelector
    // Nearly all constants have a height of 1.
    cachedHeight = height == 1 ? original.cachedHeight : max(original.cachedHeight, 1 + height)
    cachedNesting = height == 1 ? original.cachedNesting : max(original.cachedNesting, height)
    left = original.left
    right = nil
    rightConstant = value
    rightVariable = nil
    super.init(block: neverCalled)
  }

  deinit {
    lazyCaches.load(ordering: .acquiring)?.release()
    DeferredRelease.release(height: cachedHeight) {
      defer {
        (left, right) = (.expressionForEvaluatedObject(), nil)
        rightConstant = ()
      }
      // Reads the stored right side, because `rightExpression` would create an expression and its
      // caches.
      if let right { return [left, right] }
      return [left, NestedValues.Held(rightConstant)]
    }
  }

  /// Returns the predicate itself, which is immutable.
  open override func copy() -> Any { self }

  /// Foundation's class, so that archives contain the name that other programs know.
  open override var classForKeyedArchiver: AnyClass? { NSClassFromString("NSComparisonPredicate") }

  /// Returns the predicate itself, which is immutable.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text. It parses to an equal predicate, unless the predicate contains Swift code, or a constant that
  /// has no exact form in the language, such as an object.
  open override var predicateFormat: String { PredicatePrinter.text(of: self) }

  /// The canonical text, equal to ``predicateFormat``.
  open override var description: String { PredicatePrinter.text(of: self) }

  /// Returns whether the other object is a comparison with equal parts.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    return StructuralEquality.areEqual(self, other)
  }

  /// A hash value that is equal for equal predicates.
  open override var hash: Int { StructuralEquality.hash(of: self) }

  /// Returns whether the comparison is true for an object.
  ///
  /// If the evaluation fails (for an unknown key, values without an order, a MATCHES pattern that takes
  /// too long), this method logs the error and returns false.
  /// ``Foundation/NSPredicate/evaluated(with:)`` throws the error.
  open override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }

  /// Returns whether the comparison is true for an object, with values for the variables.
  ///
  /// If the evaluation fails, this method logs the error and returns false.
  /// ``Foundation/NSPredicate/evaluated(with:substitutionVariables:)`` throws the error.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    holdsOrLogs(for: object, variables: bindings)
  }
}

/// The block for Foundation's initializer. It never runs, because the library's classes override every method that
/// would call it. `NSPredicate(value: false)` is not an alternative, because it would consider the library's predicates
/// equal to itself.
@Sendable func neverCalled(_ object: Any?, _ variables: [String: Any]?) -> Bool { false }
