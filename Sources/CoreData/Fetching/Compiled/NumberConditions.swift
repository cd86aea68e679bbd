/// Whether an integer attribute is between two bounds, inclusive. Comparisons with an integer constant have this form
/// too: `< 5` is the range up to 4, and `!= 5` is the negated range from 5 to 5.
final class IntegerRangeCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let low: Int64
  private let high: Int64
  private let inside: Truth
  private let outside: Truth

  init(_ accessor: AttributeAccessor, _ range: ClosedRange<Int64>, isNegated: Bool = false) {
    self.accessor = accessor
    low = range.lowerBound
    high = range.upperBound
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try accessor.integer(frames) else { return .unknown }
    return low <= value && value <= high ? inside : outside
  }
}

/// Whether a double or date attribute is between two bounds, inclusive.
final class DoubleRangeCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let low: Double
  private let high: Double
  private let inside: Truth
  private let outside: Truth

  init(_ accessor: AttributeAccessor, _ range: ClosedRange<Double>, isNegated: Bool = false) {
    self.accessor = accessor
    low = range.lowerBound
    high = range.upperBound
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try accessor.double(frames) else { return .unknown }
    return low <= value && value <= high ? inside : outside
  }
}

/// A condition that is unknown for NULL and constant for all other values.
final class UnlessNullCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let value: Truth

  init(_ accessor: AttributeAccessor, _ value: Truth) {
    self.accessor = accessor
    self.value = value
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    try accessor.isNull(frames) ? .unknown : value
  }
}

/// Whether an integer attribute is in a set of constants.
final class IntegerSetCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let values: Set<Int64>

  init(_ accessor: AttributeAccessor, _ values: Set<Int64>) {
    self.accessor = accessor
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try accessor.integer(frames) else { return .unknown }
    return Truth(values.contains(value))
  }
}

/// Whether a double or date attribute is in a set of constants.
final class DoubleSetCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  private let values: Set<Double>

  init(_ accessor: AttributeAccessor, _ values: Set<Double>) {
    self.accessor = accessor
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try accessor.double(frames) else { return .unknown }
    return Truth(values.contains(value))
  }
}
