/// A value that is computed from the objects of frames: a node of a compiled predicate.
class CompiledValue: @unchecked Sendable {
  func value(_ frames: EvaluationFrames) throws -> StoredValue { .null }
}

final class ConstantValue: CompiledValue, @unchecked Sendable {
  private let constant: StoredValue
  init(_ constant: StoredValue) { self.constant = constant }
  override func value(_ frames: EvaluationFrames) throws -> StoredValue { constant }
}

/// An attribute, to-one destination or the object itself, reached by to-one steps or none.
final class PathValue: CompiledValue, @unchecked Sendable {
  private let steps: ToOneSteps
  private let terminal: BoundPath.Terminal

  init(_ steps: ToOneSteps, _ terminal: BoundPath.Terminal) {
    self.steps = steps
    self.terminal = terminal
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    try steps.destination(frames).map(terminal.value) ?? .null
  }
}

/// The name of an object's entity.
final class EntityNameValue: CompiledValue, @unchecked Sendable {
  private let steps: ToOneSteps
  init(_ steps: ToOneSteps) { self.steps = steps }
  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    try steps.destination(frames).map { .text($0.layout.name) } ?? .null
  }
}

extension BoundPath.Terminal {
  /// The value for the object at the end of a path's steps.
  func value(of object: NSManagedObject) throws -> StoredValue {
    switch self {
    case .attribute(let slot): return try object.storedValue(slot)
    case .reference(let slot): return try object.toOneID(slot).map(StoredValue.reference) ?? .null
    case .object: return .reference(object.objectID)
    }
  }
}

extension BoundPath {
  /// The value for an object with which the path begins; NULL where a step leads nowhere.
  func value(of object: NSManagedObject) throws -> StoredValue {
    var object = object
    for slot in steps {
      guard let next = try object.toOneObject(slot) else { return .null }
      object = next
    }
    return try terminal.value(of: object)
  }
}

/// The number of members of a relationship.
final class CountValue: CompiledValue, @unchecked Sendable {
  private let members: MemberAccessor
  init(_ members: MemberAccessor) { self.members = members }
  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    .integer(Int64(try members.count(frames)))
  }
}

/// What one member of an ordered relationship has.
final class ElementValue: CompiledValue, @unchecked Sendable {
  private let members: MemberAccessor
  private let position: BoundExpression.Position
  private let element: CompiledValue

  init(_ members: MemberAccessor, at position: BoundExpression.Position, _ element: CompiledValue) {
    self.members = members
    self.position = position
    self.element = element
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    let objects = try members.objects(frames)
    let place =
      switch position {
      case .first(let offset): Int(clamping: offset)
      case .last: objects.count - 1
      }
    guard objects.indices.contains(place) else { return .null }
    return try withExtendedLifetime(objects) {
      try frames[members.place].load(Unmanaged.passUnretained(objects[place]))
      return try element.value(frames)
    }
  }
}

/// One of two values, as a condition decides.
final class ConditionalValue: CompiledValue, @unchecked Sendable {
  private let condition: CompiledCondition
  private let first: CompiledValue
  private let second: CompiledValue

  init(_ condition: CompiledCondition, _ first: CompiledValue, _ second: CompiledValue) {
    self.condition = condition
    self.first = first
    self.second = second
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    try condition.truth(frames) == .yes ? first.value(frames) : second.value(frames)
  }
}

/// The values that members of a relationship have.
struct MemberValues {
  let members: MemberAccessor
  let element: CompiledValue
  let kind: ValueKind
  let isDistinct: Bool
  let keepsNulls: Bool

  /// A function fed with the values.
  func statistic(
    _ function: PredefinedFunction, _ frames: EvaluationFrames
  ) throws -> Statistic {
    var statistic = Statistic(function, nilRule: .store)
    var seen: [StoredValue] = []
    _ = try members.contains(frames) { _ in
      let value = try element.value(frames)
      if value.isNull && !keepsNulls { return false }
      if isDistinct {
        if seen.contains(where: { StoredValue.rowOrder($0, value) == 0 }) { return false }
        seen.append(value)
      }
      try statistic.add(kind.scalar(value))
      return false
    }
    return statistic
  }
}

/// `sum:`, `max:` and the like of the values of members.
final class StatisticValue: CompiledValue, @unchecked Sendable {
  private let function: PredefinedFunction
  private let values: MemberValues

  init(_ function: PredefinedFunction, _ values: MemberValues) {
    self.function = function
    self.values = values
  }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue {
    StoredValue(try values.statistic(function, frames).result())
  }
}
