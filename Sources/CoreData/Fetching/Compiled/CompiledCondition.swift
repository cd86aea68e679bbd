/// A condition on the objects of frames: a node of a compiled predicate.
///
/// It is immutable, so that any thread may use it.
class CompiledCondition: @unchecked Sendable {
  func truth(_ frames: EvaluationFrames) throws -> Truth { .unknown }
}

/// A condition with a constant result.
final class ConstantCondition: CompiledCondition, @unchecked Sendable {
  private let value: Truth
  init(_ value: Truth) { self.value = value }
  override func truth(_ frames: EvaluationFrames) throws -> Truth { value }
}

// AND and OR have exactly two operands, so that evaluating them needs no reference counting. Longer lists become trees.

class PairCondition: CompiledCondition, @unchecked Sendable {
  fileprivate final let first: CompiledCondition
  fileprivate final let second: CompiledCondition

  init(_ first: CompiledCondition, _ second: CompiledCondition) {
    self.first = first
    self.second = second
  }
}

final class AndCondition: PairCondition, @unchecked Sendable {
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    switch try first.truth(frames) {
    case .no: return .no
    // As in SQL, unknown AND false is false, and unknown OR true is true.
    case .unknown: return try second.truth(frames) == .no ? .no : .unknown
    case .yes: return try second.truth(frames)
    }
  }
}

final class OrCondition: PairCondition, @unchecked Sendable {
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    switch try first.truth(frames) {
    case .yes: return .yes
    case .unknown: return try second.truth(frames) == .yes ? .yes : .unknown
    case .no: return try second.truth(frames)
    }
  }
}

final class NotCondition: CompiledCondition, @unchecked Sendable {
  private let part: CompiledCondition
  init(_ part: CompiledCondition) { self.part = part }
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    try part.truth(frames).negated
  }
}

/// Converts unknown to false.
final class IsTrueCondition: CompiledCondition, @unchecked Sendable {
  private let part: CompiledCondition
  init(_ part: CompiledCondition) { self.part = part }
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try part.truth(frames) == .yes)
  }
}

/// Whether an attribute is NULL.
final class NullCondition: CompiledCondition, @unchecked Sendable {
  private let accessor: AttributeAccessor
  init(_ accessor: AttributeAccessor) { self.accessor = accessor }
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try accessor.isNull(frames))
  }
}

/// A condition that requires the row's object itself.
final class ObjectCondition: CompiledCondition, @unchecked Sendable {
  private let predicate: ObjectPredicate
  init(_ predicate: ObjectPredicate) { self.predicate = predicate }
  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let object = frames[0].object?.takeUnretainedValue() else { return .unknown }
    return Truth(try predicate.holds(for: object))
  }
}
