import Synchronization

/// A predicate that compares the values of two expressions.
///
/// Immutable, and equal to another with the same parts.
nonisolated open class NSComparisonPredicate: Foundation.NSPredicate {
  /// The expression on the left of the operator.
  public final var leftExpression: NSExpression { left }

  /// The expression on the right of the operator.
  public var rightExpression: NSExpression { right ?? caches.rightExpression }

  /// Whether one, all or no special number of the elements on the left must fulfil the
  /// comparison.
  public let comparisonPredicateModifier: Modifier

  /// How the two values are compared.
  public let predicateOperatorType: Operator

  /// How strings are compared.
  public let options: Options

  /// The selector of an operator of type `customSelector`, else nil.
  public let customSelector: Selector?

  /// The left side; never changed but at the end.
  @exclusivity(unchecked)
  private final var left: NSExpression

  /// The right side, but for a template's variable that has got its value; never changed but at the end.
  @exclusivity(unchecked)
  private final var right: NSExpression?

  /// That value, never changed but at the end. Its expression is made when asked for, which spares one object in two where a
  /// template is filled in.
  @exclusivity(unchecked)
  private final var rightConstant: Any

  /// The name of the variable that is the whole right side, as most in a template are; nil where the left side has
  /// one, too.
  let rightVariable: String?

  private static func rightVariable(_ left: NSExpression, _ right: NSExpression) -> String? {
    left.hasVariables ? nil : right.variableName
  }

  // Held by hand: with an `AtomicLazyReference` the compiler retains a comparison that ends once more, which a
  // template notices that is filled in.
  private let lazyCaches = Atomic<Unmanaged<ComparisonCaches>?>(nil)

  private var caches: ComparisonCaches {
    if let known = lazyCaches.load(ordering: .acquiring) { return known.takeUnretainedValue() }
    let made = Unmanaged.passRetained(ComparisonCaches(rightConstant: rightConstant))
    let (_, earlier) = lazyCaches.compareExchange(
      expected: nil, desired: made, ordering: .acquiringAndReleasing)
    guard let earlier else { return made.takeUnretainedValue() }
    made.release()
    return earlier.takeUnretainedValue()
  }

  /// The prepared right side of a comparison with a constant string.
  final var matcher: MatcherCache { caches.matcher }

  /// The prepared elements of a constant list on the right.
  final var membership: MembershipCache { caches.membership }

  /// The levels of the tree.
  let cachedHeight: Int

  /// The levels of recursion that evaluating takes.
  let cachedNesting: Int

  /// A comparison by one of the operators.
  ///
  /// The type `customSelector` needs the other initialiser; here it stops the program.
  public init(
    leftExpression lhs: NSExpression, rightExpression rhs: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    if type == .customSelector {
      stopProgram("An operator of type customSelector is made with its selector")
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

  /// A comparison by a method of the left value, such as `isKindOfClass:`.
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

  /// The same comparison of other expressions.
  init(
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

  /// The same comparison with a constant on the right in place of a variable.
  ///
  /// - Parameter height: the constant's, by `NestedValues.heightAsConstant`.
  init(
    like original: borrowing NSComparisonPredicate, rightConstant value: Any, height: Int
  ) {
    comparisonPredicateModifier = original.comparisonPredicateModifier
    predicateOperatorType = original.predicateOperatorType
    options = original.options
    customSelector = original.customSelector
    // Hardly any is more than one level.
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
      if let right { return [left, right] }
      return [left, NestedValues.Held(rightConstant)]
    }
  }

  /// The predicate itself: it cannot change.
  open override func copy() -> Any { self }

  /// The class that archives name: Foundation's, whose name they know.
  open override var classForKeyedArchiver: AnyClass? { NSClassFromString("NSComparisonPredicate") }

  /// The predicate itself: it cannot change.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text, which parses to an equal predicate.
  open override var predicateFormat: String { PredicatePrinter.text(of: self) }

  /// The canonical text, as ``predicateFormat``.
  open override var description: String { PredicatePrinter.text(of: self) }

  /// Whether the other object is a comparison with equal parts.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    return StructuralEquality.areEqual(self, other)
  }

  /// Equal for equal predicates.
  open override var hash: Int { StructuralEquality.hash(of: self) }

  /// Whether the comparison holds for an object.
  ///
  /// What cannot be evaluated (an unknown key, values without an order, a pattern of MATCHES that
  /// takes too long) does not hold, and the reason is logged.
  /// ``Foundation/NSPredicate/evaluated(with:)`` throws it.
  open override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }

  /// Whether the comparison holds for an object, with values for the variables.
  ///
  /// What cannot be evaluated does not hold, and the reason is logged.
  /// ``Foundation/NSPredicate/evaluated(with:substitutionVariables:)`` throws it.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    holdsOrLogs(for: object, variables: bindings)
  }
}

/// Foundation's predicates are made of a value or a block; ours override all that would ask for it.
/// Not of a value: `NSPredicate(value: false)` would take it for its equal.
@Sendable func neverCalled(_ object: Any?, _ variables: [String: Any]?) -> Bool { false }
