/// A predicate that is always true or always false, as parsed from TRUEPREDICATE and FALSEPREDICATE.
///
/// `NSPredicate(value:)` creates an instance of Foundation's class instead. Predicates of the two classes are equal if
/// their values are.
package class ConstantPredicate: NSPredicate {
  /// Whether the predicate is true.
  package let value: Bool

  package override init(value: Bool) {
    self.value = value
    super.init(value: value)
  }

  /// The class whose name archives contain.
  package override var classForKeyedArchiver: AnyClass? {
    value ? TruePredicate.self : FalsePredicate.self
  }

  package override class func classFallbacksForKeyedArchiver() -> [String] {
    CodingNames.hint(self)
  }

  package override func copy() -> Any { self }
  package override func copy(with zone: NSZone? = nil) -> Any { self }
  package override var predicateFormat: String { PredicatePrinter.text(of: self) }
  package override var description: String { PredicatePrinter.text(of: self) }

  package override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    return StructuralEquality.areEqual(self, other)
  }

  package override var hash: Int { StructuralEquality.hash(of: self) }
}
