/// Several predicates joined by AND or OR, or one reversed by NOT.
///
/// Immutable, and equal to another with the same structure. A subclass of the one in Foundation,
/// which cannot print: where a file imports Foundation alone, that one is meant, and everything
/// here takes it just as well.
nonisolated open class NSCompoundPredicate: Foundation.NSCompoundPredicate {
  /// The levels of the tree.
  let cachedHeight: Int

  /// The levels of recursion that evaluating the parts takes.
  let cachedNesting: Int

  /// The predicates that are joined.
  public override var subpredicates: [NSPredicate] {
    get { parts }
    set {
      parts = newValue
      super.subpredicates = newValue
    }
  }

  /// The same: Foundation's property checks each access; nobody changes it but the end.
  @exclusivity(unchecked)
  private final var parts: [NSPredicate]

  /// Joins predicates; the type `not` takes exactly one and stops the program else.
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    if type == .not, subpredicates.count != 1 {
      stopProgram("NOT takes one predicate, not \(subpredicates.count)")
    }
    var height = 0
    var nesting = 0
    for predicate in subpredicates {
      height = max(height, predicate.height)
      nesting = max(nesting, predicate.nesting)
    }
    cachedHeight = height + 1
    cachedNesting = nesting
    parts = subpredicates
    super.init(type: type, subpredicates: subpredicates)
  }

  /// The same compound of other parts that are no higher.
  init(
    like original: borrowing NSCompoundPredicate, type: LogicalType, subpredicates: [NSPredicate]
  ) {
    cachedHeight = original.cachedHeight
    cachedNesting = original.cachedNesting
    parts = subpredicates
    super.init(type: type, subpredicates: subpredicates)
  }

  deinit {
    DeferredRelease.release(height: cachedHeight) {
      defer { subpredicates = [] }
      return subpredicates
    }
  }

  /// The predicate itself: it is not changed once made.
  open override func copy() -> Any { self }

  /// The class that archives name: Foundation's, whose name they know.
  open override var classForKeyedArchiver: AnyClass? { NSClassFromString("NSCompoundPredicate") }

  /// The predicate itself: it is not changed once made.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text, which parses to an equal predicate.
  open override var predicateFormat: String { PredicatePrinter.text(of: self) }

  /// The canonical text, as ``predicateFormat``.
  open override var description: String { PredicatePrinter.text(of: self) }

  /// Whether the other object is a compound of the same type with equal predicates in the same
  /// order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    return StructuralEquality.areEqual(self, other)
  }

  /// Equal for equal predicates.
  open override var hash: Int { StructuralEquality.hash(of: self) }

  /// Whether the compound holds for an object: AND of nothing does, OR of nothing does not. The
  /// predicates are evaluated from left to right until the answer is known.
  ///
  /// A compound with a part that cannot be evaluated does not hold, and the reason is logged.
  /// ``Foundation/NSPredicate/evaluated(with:)`` throws it.
  open override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }

  /// Whether the compound holds for an object, with values for the variables; as
  /// ``evaluate(with:)`` where a part cannot be evaluated.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    holdsOrLogs(for: object, variables: bindings)
  }
}
