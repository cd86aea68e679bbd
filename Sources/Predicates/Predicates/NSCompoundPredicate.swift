/// A predicate that joins several predicates with AND or OR, or negates one with NOT.
///
/// Compounds are immutable, and equal if they have the same structure. This class derives from Foundation's class of
/// the same name, which cannot print itself. A file that imports only Foundation uses that class; this module accepts
/// both.
nonisolated open class NSCompoundPredicate: Foundation.NSCompoundPredicate {
  /// The number of levels of the tree.
  let cachedHeight: Int

  /// The recursion depth for evaluating the parts, in levels.
  let cachedNesting: Int

  /// The joined predicates.
  public override var subpredicates: [NSPredicate] {
    get { parts }
    set {
      parts = newValue
      // Foundation keeps its own reference to the parts. `deinit` must remove it too, before `DeferredRelease`
      // releases the parts.
      super.subpredicates = newValue
    }
  }

  /// A copy of `subpredicates`, because Swift checks the exclusivity of each access to Foundation's property. Only the
  /// deinitializer changes it.
  @exclusivity(unchecked)
  private final var parts: [NSPredicate]

  /// Creates a compound. With the type `not`, any number of subpredicates other than one stops the program.
  ///
  /// ```swift
  /// let adults = NSPredicate(format: "age >= 18")
  /// let named = NSPredicate(format: "firstName != nil")
  /// let both = NSCompoundPredicate(type: .and, subpredicates: [adults, named])
  /// print(both.predicateFormat)  // age >= 18 AND firstName != nil
  /// ```
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    if type == .not, subpredicates.count != 1 {
      stopProgram("NOT needs exactly one subpredicate, not \(subpredicates.count)")
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

  /// Creates a copy of a compound with other parts. No part may be higher than the one that it replaces.
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

  /// Returns the predicate itself, which is immutable.
  open override func copy() -> Any { self }

  /// Foundation's class, so that archives contain the name that other programs know.
  open override var classForKeyedArchiver: AnyClass? { NSClassFromString("NSCompoundPredicate") }

  /// Returns the predicate itself, which is immutable.
  open override func copy(with zone: NSZone? = nil) -> Any { self }

  /// The canonical text. It parses to an equal predicate, unless the predicate contains Swift code, or a constant that
  /// has no exact form in the language, such as an object.
  open override var predicateFormat: String { PredicatePrinter.text(of: self) }

  /// The canonical text, equal to ``predicateFormat``.
  open override var description: String { PredicatePrinter.text(of: self) }

  /// Returns whether the other object is a compound of the same type with equal predicates in the same
  /// order.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    return StructuralEquality.areEqual(self, other)
  }

  /// A hash value that is equal for equal predicates.
  open override var hash: Int { StructuralEquality.hash(of: self) }

  /// Returns whether the compound is true for an object. An empty AND is true, an empty OR false. The
  /// predicates are evaluated from left to right until the result is determined.
  ///
  /// If the evaluation of a part fails, this method logs the error and returns false.
  /// ``Foundation/NSPredicate/evaluated(with:)`` throws the error.
  open override func evaluate(with object: Any?) -> Bool {
    evaluate(with: object, substitutionVariables: nil)
  }

  /// Returns whether the compound is true for an object, with values for the variables. It handles a failed
  /// evaluation like ``evaluate(with:)``.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    holdsOrLogs(for: object, variables: bindings)
  }
}
