/// An integer attribute between two bounds, both included; every comparison with a constant is one
/// of these.
final class IntegerRangeCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeAccessor
  private let low: Int64
  private let high: Int64
  private let inside: Truth
  private let outside: Truth

  init(_ reader: AttributeAccessor, _ range: ClosedRange<Int64>, isNegated: Bool = false) {
    self.reader = reader
    low = range.lowerBound
    high = range.upperBound
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try reader.integer(frames) else { return .unknown }
    return low <= value && value <= high ? inside : outside
  }
}

/// A double or date attribute between two bounds, both included.
final class DoubleRangeCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeAccessor
  private let low: Double
  private let high: Double
  private let inside: Truth
  private let outside: Truth

  init(_ reader: AttributeAccessor, _ range: ClosedRange<Double>, isNegated: Bool = false) {
    self.reader = reader
    low = range.lowerBound
    high = range.upperBound
    inside = Truth(!isNegated)
    outside = Truth(isNegated)
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try reader.double(frames) else { return .unknown }
    return low <= value && value <= high ? inside : outside
  }
}

/// A condition that no value but NULL, which is unknown, changes.
final class UnlessNullCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeAccessor
  private let value: Truth

  init(_ reader: AttributeAccessor, _ value: Truth) {
    self.reader = reader
    self.value = value
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    try reader.isNull(frames) ? .unknown : value
  }
}

/// An integer attribute among many.
final class IntegerSetCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeAccessor
  private let values: Set<Int64>

  init(_ reader: AttributeAccessor, _ values: Set<Int64>) {
    self.reader = reader
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try reader.integer(frames) else { return .unknown }
    return Truth(values.contains(value))
  }
}

/// A double or date attribute among many.
final class DoubleSetCondition: CompiledCondition, @unchecked Sendable {
  private let reader: AttributeAccessor
  private let values: Set<Double>

  init(_ reader: AttributeAccessor, _ values: Set<Double>) {
    self.reader = reader
    self.values = values
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let value = try reader.double(frames) else { return .unknown }
    return Truth(values.contains(value))
  }
}
