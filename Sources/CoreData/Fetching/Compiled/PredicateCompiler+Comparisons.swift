extension PredicateCompiler {
  // MARK: NULL

  mutating func isNull(_ expression: BoundExpression) -> CompiledCondition {
    guard case .property(let path) = expression else {
      return ValueCondition(isNull: value(expression))
    }
    switch path.terminal {
    case .attribute(let slot):
      return makeCondition(path, slot, .any, absence: .yes) { NullCondition($0) }
    case .reference(let slot):
      return makeCondition(path, slot, .reference, absence: .yes) { NoDestinationCondition($0) }
    case .object: return at(path, absence: .yes) { _, _ in ConstantCondition(.no) }
    }
  }

  // MARK: Order and equality

  mutating func compare(
    _ left: BoundExpression, _ comparison: BoundPredicate.Comparison, _ right: BoundExpression
  ) -> CompiledCondition {
    // The specialized conditions require the constant on the right.
    if left.isConstant, !right.isConstant { return compare(right, comparison.mirrored, left) }
    if case .property(let path) = left, case .constant(let constant, _) = right,
      let condition = compare(path, comparison, local(constant))
    {
      return condition
    }
    return ComparisonCondition(value(left), comparison, value(right))
  }

  /// Compares the value of a path with a constant. Returns nil if their types require a generic comparison.
  private mutating func compare(
    _ path: BoundPath, _ comparison: BoundPredicate.Comparison, _ constant: StoredValue
  ) -> CompiledCondition? {
    // As in SQL, a comparison with NULL is unknown for each object.
    if constant.isNull { return ConstantCondition(.unknown) }
    switch path.terminal {
    case .attribute(let slot):
      switch (path.kind, constant) {
      case (.integer, .integer(let number)):
        return makeCondition(path, slot, .integer) { accessor in
          // Wrapping operators cannot trap. At the type's minimum and maximum, `range` does not use the wrapped result.
          Self.range(
            comparison, number, all: Int64.min...Int64.max, below: number &- 1, above: number &+ 1
          )
          .map { IntegerRangeCondition(accessor, $0, isNegated: comparison == .notEqual) }
            ?? UnlessNullCondition(accessor, .no)
        }
      case (.double, _), (.date, _):
        // An integer that no double equals needs the generic comparison, which is exact.
        guard let number = constant.exactDouble else { return nil }
        return makeCondition(path, slot, .double) { accessor in
          Self.range(
            comparison, number, all: -Double.infinity...Double.infinity, below: number.nextDown,
            above: number.nextUp
          ).map { DoubleRangeCondition(accessor, $0, isNegated: comparison == .notEqual) }
            ?? UnlessNullCondition(accessor, .no)
        }
      case (.text, .text), (.uri, .uri), (.uuid, .uuid), (.data, .data):
        guard let bytes = constant.byteArray else { return nil }
        return makeCondition(path, slot, .bytes) { BytesComparisonCondition($0, comparison, bytes) }
      default: return nil
      }
    case .reference, .object:
      guard case .reference(let id) = constant, comparison == .equal || comparison == .notEqual
      else { return nil }
      return references(path, [id], isNegated: comparison == .notEqual)
    }
  }

  /// Returns the numbers for which a comparison is true, or for `notEqual` those for which it is false; nil if there
  /// are none.
  private static func range<Number: Comparable>(
    _ comparison: BoundPredicate.Comparison, _ number: Number, all: ClosedRange<Number>,
    below: @autoclosure () -> Number, above: @autoclosure () -> Number
  ) -> ClosedRange<Number>? {
    switch comparison {
    case .equal, .notEqual: number...number
    case .less: number == all.lowerBound ? nil : all.lowerBound...below()
    case .lessOrEqual: all.lowerBound...number
    case .greater: number == all.upperBound ? nil : above()...all.upperBound
    case .greaterOrEqual: number...all.upperBound
    }
  }

  private mutating func references(
    _ path: BoundPath, _ ids: [NSManagedObjectID], isNegated: Bool = false
  ) -> CompiledCondition? {
    let set = ReferenceSet(ids)
    recordComparison(of: path)
    switch path.terminal {
    case .attribute: return nil
    case .reference(let slot):
      guard let destination = path.destination else { return nil }
      return makeCondition(path, slot, .reference) {
        DestinationCondition($0, set, destination, isNegated: isNegated)
      }
    case .object:
      return at(path, absence: .unknown) { frame, _ in
        IdentityCondition(frame: frame, set, isNegated: isNegated)
      }
    }
  }

  mutating func between(
    _ expression: BoundExpression, _ low: BoundExpression, _ high: BoundExpression
  ) -> CompiledCondition {
    if case .property(let path) = expression, case .attribute(let slot) = path.terminal,
      case .constant(let low, _) = low, case .constant(let high, _) = high
    {
      switch (path.kind, low, high) {
      // A `ClosedRange` requires bounds in order. For other bounds, the two comparisons below match no value.
      case (.integer, .integer(let low), .integer(let high)) where low <= high:
        return makeCondition(path, slot, .integer) { IntegerRangeCondition($0, low...high) }
      case (.double, _, _), (.date, _, _):
        if let low = low.exactDouble, let high = high.exactDouble, low <= high {
          return makeCondition(path, slot, .double) { DoubleRangeCondition($0, low...high) }
        }
      default: break
      }
    }
    // A property may be read twice, by two specialized conditions. Any other expression is computed only once.
    if case .property = expression {
      return AndCondition(
        compare(expression, .greaterOrEqual, low), compare(expression, .lessOrEqual, high))
    }
    return ValueCondition(value(expression), between: value(low), value(high))
  }

  // MARK: Lists

  mutating func among(_ expression: BoundExpression, _ values: [StoredValue]) -> CompiledCondition {
    if values.count == 1 {
      return compare(expression, .equal, .constant(values[0], expression.kind))
    }
    let values = values.map { local($0) }
    if case .property(let path) = expression, let condition = among(path, values) {
      return condition
    }
    return ValueCondition(value(expression), among: values)
  }

  private mutating func among(_ path: BoundPath, _ values: [StoredValue]) -> CompiledCondition? {
    /// Returns all values in one form; nil if one of them has a different form.
    func all<Form>(_ form: (StoredValue) -> Form?) -> [Form]? {
      let forms = values.compactMap(form)
      return forms.count == values.count ? forms : nil
    }
    guard case .attribute(let slot) = path.terminal else {
      let ids = all { if case .reference(let id) = $0 { id } else { nil } }
      return ids.flatMap { references(path, $0) }
    }
    switch path.kind {
    case .integer:
      guard let numbers = all({ if case .integer(let number) = $0 { number } else { nil } }) else {
        return nil
      }
      return makeCondition(path, slot, .integer) { IntegerSetCondition($0, Set(numbers)) }
    case .double, .date:
      guard let numbers = all({ $0.exactDouble }) else { return nil }
      return makeCondition(path, slot, .double) { DoubleSetCondition($0, Set(numbers)) }
    case .text, .uri, .uuid, .data:
      guard let strings = all({ $0.byteArray }) else { return nil }
      return makeCondition(path, slot, .bytes) { BytesSetCondition($0, ByteStringSet(strings)) }
    default: return nil
    }
  }

  // MARK: Strings

  mutating func match(
    _ expression: BoundExpression, _ pattern: StringPattern
  ) -> CompiledCondition {
    guard case .property(let path) = expression, case .attribute(let slot) = path.terminal,
      path.kind == .text || path.kind == .uri
    else { return ValueCondition(value(expression), pattern.matcher) }
    return makeCondition(path, slot, .bytes) { accessor in
      let bytes = Array(pattern.pattern.utf8)
      // In a predicate no string begins with the empty string, but `PrefixCondition` would match every string.
      if pattern.isExact, pattern.type == .beginsWith, !bytes.isEmpty {
        return PrefixCondition(accessor, bytes)
      }
      return ASCIIMatchCondition(accessor, pattern) ?? TextMatchCondition(accessor, pattern.matcher)
    }
  }
}

extension StringPattern {
  /// Whether text is compared without folding.
  var isExact: Bool {
    options.contains(.normalized)
      || options.isDisjoint(with: [.caseInsensitive, .diacriticInsensitive])
  }
}

extension BoundPredicate.Comparison {
  /// The comparison with exchanged operands.
  var mirrored: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

extension StoredValue {
  /// The number as a double; nil if it is not a number or cannot be represented exactly.
  fileprivate var exactDouble: Double? {
    switch self {
    case .double(let value): value.isNaN ? nil : value
    case .integer(let value): Double(exactly: value)
    default: nil
    }
  }

  /// The bytes of text, a URI, a UUID or data; nil for any other value.
  fileprivate var byteArray: [UInt8]? { withBytes { Array($0) } }
}
