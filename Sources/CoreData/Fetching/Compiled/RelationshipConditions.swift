/// A chain of to-one relationships from a frame's object to another object.
struct ToOneSteps {
  /// The frame of the first object.
  let frame: Int
  let slots: [Int]

  /// Returns the object at the end; nil if a relationship of the chain is nil.
  func destination(_ frames: EvaluationFrames) throws -> NSManagedObject? {
    guard var object = frames[frame].object?.takeUnretainedValue() else { return nil }
    for slot in slots {
      guard let next = try object.toOneObject(slot) else { return nil }
      object = next
    }
    return object
  }
}

/// A condition on the object at the end of to-one steps.
final class DestinationsCondition: CompiledCondition, @unchecked Sendable {
  private let steps: ToOneSteps
  /// The frame of the object at the end.
  private let frame: Int
  private let condition: CompiledCondition
  /// The result if one of the to-one relationships is nil.
  private let absence: Truth

  init(_ steps: ToOneSteps, frame: Int, _ condition: CompiledCondition, absence: Truth) {
    self.steps = steps
    self.frame = frame
    self.condition = condition
    self.absence = absence
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    guard let object = try steps.destination(frames) else { return absence }
    return try withExtendedLifetime(object) {
      try frames[frame].load(Unmanaged.passUnretained(object))
      return try condition.truth(frames)
    }
  }
}

/// The members of a to-many relationship of a frame's object, or of the object at the end of to-one steps.
struct MemberAccessor {
  let steps: ToOneSteps
  let slot: Int
  /// The frame of the members.
  let frame: Int
  /// The condition that members must satisfy; nil for all members.
  var condition: CompiledCondition?

  /// Returns all members; those of an ordered relationship are in its order.
  private func all(_ frames: EvaluationFrames) throws -> [NSManagedObject] {
    try steps.destination(frames)?.toManyObjects(slot) ?? []
  }

  /// Loads each member into its frame, and calls `body` with each member that satisfies the condition, until `body`
  /// returns true.
  ///
  /// - Returns: Whether `body` returned true.
  func contains(
    _ frames: EvaluationFrames, where body: (NSManagedObject) throws -> Bool
  ) throws -> Bool {
    // The array keeps the members alive, which the frame does not.
    for member in try all(frames) {
      try frames[frame].load(Unmanaged.passUnretained(member))
      if let condition, try condition.truth(frames) != .yes { continue }
      if try body(member) { return true }
    }
    return false
  }

  func count(_ frames: EvaluationFrames) throws -> Int {
    // Without a condition, the members are counted without creating their objects.
    guard condition != nil else {
      return try steps.destination(frames)?.toManyCount(slot) ?? 0
    }
    var count = 0
    _ = try contains(frames) { _ in
      count += 1
      return false
    }
    return count
  }

  /// Returns the members that satisfy the condition.
  func objects(_ frames: EvaluationFrames) throws -> [NSManagedObject] {
    guard condition != nil else { return try all(frames) }
    var objects: [NSManagedObject] = []
    _ = try contains(frames) {
      objects.append($0)
      return false
    }
    return objects
  }
}

/// Whether a condition is true for any member of a to-many relationship.
final class MemberCondition: CompiledCondition, @unchecked Sendable {
  private let members: MemberAccessor
  private let condition: CompiledCondition

  init(_ members: MemberAccessor, _ condition: CompiledCondition) {
    self.members = members
    self.condition = condition
  }

  override func truth(_ frames: EvaluationFrames) throws -> Truth {
    Truth(try members.contains(frames) { _ in try condition.truth(frames) == .yes })
  }
}
