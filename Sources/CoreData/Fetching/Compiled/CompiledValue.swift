/// A value that is computed from the objects in evaluation frames (``EvaluationFrame``): a node of a compiled
/// predicate.
class CompiledValue: @unchecked Sendable {
  func value(_ frames: EvaluationFrames) throws -> StoredValue { .null }
}

final class ConstantValue: CompiledValue, @unchecked Sendable {
  private let constant: StoredValue
  init(_ constant: StoredValue) { self.constant = constant }
  override func value(_ frames: EvaluationFrames) throws -> StoredValue { constant }
}

/// An attribute, a to-one destination or the object itself, optionally at the end of to-one steps.
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

/// A value that a closure computes from the frames.
final class ComputedValue: CompiledValue, @unchecked Sendable {
  private let body: (EvaluationFrames) throws -> StoredValue

  init(_ body: @escaping (EvaluationFrames) throws -> StoredValue) { self.body = body }

  override func value(_ frames: EvaluationFrames) throws -> StoredValue { try body(frames) }
}

extension BoundPath.Terminal {
  /// Returns the value for the object at the end of a path's steps.
  func value(of object: NSManagedObject) throws -> StoredValue {
    switch self {
    case .attribute(let slot): return try object.storedValue(slot)
    case .reference(let slot): return try object.toOneID(slot).map(StoredValue.reference) ?? .null
    case .object: return .reference(object.ownID)
    }
  }
}

extension BoundPath {
  /// Returns the value for an object at the beginning of the path; NULL if a relationship of the path is nil.
  func value(of object: NSManagedObject) throws -> StoredValue {
    var object = object
    for slot in steps {
      guard let next = try object.toOneObject(slot) else { return .null }
      object = next
    }
    return try terminal.value(of: object)
  }
}

/// The values of a relationship's members.
struct MemberValues {
  let members: MemberAccessor
  let element: CompiledValue
  let kind: ValueKind
  let isDistinct: Bool
  let keepsNulls: Bool

  /// Computes an aggregate of the values.
  func statistic(_ function: PredefinedFunction, _ frames: EvaluationFrames) throws -> Statistic {
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

extension ComputedValue {
  /// The number of members of a relationship.
  convenience init(numberOf members: MemberAccessor) {
    self.init { .integer(Int64(try members.count($0))) }
  }

  /// The value of one member of an ordered relationship.
  convenience init(
    _ element: CompiledValue, ofMemberAt position: BoundExpression.Position,
    _ members: MemberAccessor
  ) {
    self.init { frames in
      let objects = try members.objects(frames)
      let index =
        switch position {
        case .first(let offset): Int(clamping: offset)
        case .last: objects.count - 1
        }
      guard objects.indices.contains(index) else { return .null }
      // A frame does not retain its object.
      return try withExtendedLifetime(objects) {
        try frames[members.frame].load(Unmanaged.passUnretained(objects[index]))
        return try element.value(frames)
      }
    }
  }

  /// The first value if a condition is true, otherwise the second.
  convenience init(
    if condition: CompiledCondition, _ first: CompiledValue, _ second: CompiledValue
  ) {
    self.init { try condition.truth($0) == .yes ? first.value($0) : second.value($0) }
  }

  /// An aggregate such as `sum:` or `max:` of the members' values.
  convenience init(_ function: PredefinedFunction, of values: MemberValues) {
    self.init { StoredValue(try values.statistic(function, $0).result()) }
  }

  /// A random number.
  convenience init(randomBelow limit: CompiledValue?, _ kind: ValueKind) {
    self.init { frames in
      StoredValue(
        try RandomNumber.next(below: try limit.map { kind.scalar(try $0.value(frames)) }))
    }
  }
}
