extension PredicateBinder {
  /// Returns `location == nil`, or `location == %@` with a dictionary, as conditions on the elements.
  ///
  /// - Returns: Nil if neither side is a composite attribute.
  /// - Throws: If the other side is not a constant, or is a constant that the composite attribute cannot have.
  package func compositeEquality(
    _ left: Operand, _ right: Operand, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate? {
    switch (left, right) {
    case (.composite(let composite), .constant(let value)),
      (.constant(let value), .composite(let composite)):
      return try equality(composite, value, comparison)
    case (.composite(let composite), .bound), (.bound, .composite(let composite)),
      (.composite(let composite), .composite):
      throw composite.refusal
    default: return nil
    }
  }

  private func equality(
    _ composite: BoundComposite, _ constant: Any?, _ comparison: NSComparisonPredicate
  ) throws -> BoundPredicate {
    let isNotEqual = comparison.predicateOperatorType == .notEqualTo
    let values = try composite.value.values(of: constant)
    // A composite attribute is nil if no element has a value.
    let isNull = BoundPredicate.and(values.map { .isNull(composite.element($0.slot)) })
    if values.allSatisfy({ $0.value == nil }) { return isNotEqual ? .not(isNull) : isNull }
    let parts = try values.map { slot, value -> BoundPredicate in
      let element = composite.element(slot)
      guard let value else { return .isNull(element) }
      let constant = try conversion.constant(value, like: element, comparison.predicateFormat)
      return try isEqual(element, constant, comparison)
    }
    // Indexes can be used for this form, although it may be unknown if an element lacks a value.
    if !isNotEqual, !isNegated { return .and(parts) }
    // This form is unknown only if the composite attribute is nil.
    let exact = BoundPredicate.or([
      .and(parts.map(BoundPredicate.isTrue)), .and([isNull, .value(nil)]),
    ])
    return isNotEqual ? .not(exact) : exact
  }
}
