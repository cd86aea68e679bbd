/// Compiles a bound predicate into conditions that are specialized by the types of their operands. While a condition is
/// evaluated, each object that it reads is in a frame (`EvaluationFrame`).
struct PredicateCompiler {
  /// The slots of each frame, complete after compilation.
  private(set) var frameSlots = [FrameSlots()]
  /// The frame of each level. The row has level 0, and the members of each relationship have a level of their own.
  private var levels = [0: 0]
  /// The entities whose IDs are compared; nil if a part that is evaluated with objects, such as a block, may access any
  /// ID.
  private(set) var comparedEntities: [EntityLayout]? = []
  /// Returns the ID that the evaluated objects' coordinator uses for the object of an ID.
  private let localID: (NSManagedObjectID) -> NSManagedObjectID
  /// The stores of the object IDs that the predicate contains as constants, each once.
  private(set) var origins: [StoreOrigin] = []

  /// - Parameter localID: Translates the IDs of other coordinators. The default is for predicates whose IDs all belong
  ///   to the evaluated objects' coordinator.
  init(localID: @escaping (NSManagedObjectID) -> NSManagedObjectID = { $0 }) {
    self.localID = localID
  }

  /// Returns a constant with the ID that the evaluated objects' coordinator uses.
  mutating func local(_ constant: StoredValue) -> StoredValue {
    guard case .reference(let id) = constant else { return constant }
    let local = localID(id)
    if !origins.contains(where: { $0 === local.origin }) { origins.append(local.origin) }
    return .reference(local)
  }

  // MARK: Conditions

  mutating func condition(_ predicate: BoundPredicate) -> CompiledCondition {
    switch predicate {
    case .value(let value): return ConstantCondition(Truth(value))
    case .and(let parts): return list(parts[...], empty: .yes, AndCondition.init)
    case .or(let parts): return list(parts[...], empty: .no, OrCondition.init)
    case .not(let part): return NotCondition(condition(part))
    case .isTrue(let part): return IsTrueCondition(condition(part))
    case .isNull(let expression): return isNull(expression)
    case .compare(let left, let comparison, let right):
      return compare(left, comparison, right)
    case .identical(let left, let right):
      return ValueCondition(value(left), isIdenticalTo: value(right))
    case .among(let expression, let values): return among(expression, values)
    case .amongTexts(let expression, let texts):
      return ValueCondition(value(expression), among: texts)
    case .between(let expression, let low, let high): return between(expression, low, high)
    case .match(let expression, let pattern): return match(expression, pattern)
    case .matchValues(let left, let type, let right, let options):
      return ValueCondition(value(left), type, value(right), options)
    case .exists(let collection, let inner):
      let members = enter(BoundMembers(collection: collection, condition: nil))
      return MemberCondition(members, condition(inner))
    case .isMode(let expression, let values):
      return ValueCondition(value(expression), isModeOf: memberValues(values))
    case .isEntity(let path, let layouts):
      return at(path, absence: .unknown) { frame, _ in EntityCondition(frame: frame, layouts) }
    // In a database, the index only narrows down the rows. The condition that is joined to this one by AND decides.
    case .inIndex: return ConstantCondition(.yes)
    case .byObject(let part):
      comparedEntities = nil
      return ObjectCondition(part)
    }
  }

  /// Joins a list into a balanced tree.
  private mutating func list(
    _ parts: ArraySlice<BoundPredicate>, empty: Truth,
    _ join: (CompiledCondition, CompiledCondition) -> CompiledCondition
  ) -> CompiledCondition {
    guard let first = parts.first else { return ConstantCondition(empty) }
    if parts.count == 1 { return condition(first) }
    // A balanced tree keeps the recursion over a long list shallow.
    let middle = parts.startIndex + parts.count / 2
    let before = list(parts[..<middle], empty: empty, join)
    return join(before, list(parts[middle...], empty: empty, join))
  }

  // MARK: Frames

  /// Adds a frame and returns its number.
  private mutating func newFrame() -> Int {
    frameSlots.append(FrameSlots())
    return frameSlots.count - 1
  }

  private func steps(_ path: BoundPath) -> ToOneSteps {
    ToOneSteps(frame: frame(ofLevel: path.level), slots: path.steps)
  }

  /// Returns the frame of a level.
  private func frame(ofLevel level: Int) -> Int { levels[level, default: 0] }

  /// Adds the level of a relationship's members.
  private mutating func enter(_ members: BoundMembers) -> MemberAccessor {
    let steps = steps(members.collection.owner)
    let frame = newFrame()
    // Set before the condition is compiled, because the condition refers to the level.
    levels[members.collection.level] = frame
    let condition = members.condition.map { self.condition($0) }
    return MemberAccessor(
      steps: steps, slot: members.collection.slot, frame: frame, condition: condition)
  }

  /// Creates a condition on the object before a path's last slot.
  ///
  /// - Parameters:
  ///   - absence: The result if a relationship of the path is nil.
  ///   - make: Creates the condition, given the object's frame and its slots.
  mutating func at(
    _ path: BoundPath, absence: Truth,
    _ make: (_ frame: Int, _ slots: FrameSlots) -> CompiledCondition
  ) -> CompiledCondition {
    if path.steps.isEmpty {
      let frame = frame(ofLevel: path.level)
      return make(frame, frameSlots[frame])
    }
    let frame = newFrame()
    return DestinationsCondition(
      steps(path), frame: frame, make(frame, frameSlots[frame]), absence: absence)
  }

  /// Creates a condition on the last slot of a path.
  mutating func makeCondition(
    _ path: BoundPath, _ slot: Int, _ form: FrameSlots.Form, absence: Truth = .unknown,
    _ make: (AttributeAccessor) -> CompiledCondition
  ) -> CompiledCondition {
    at(path, absence: absence) { frame, slots in
      make(AttributeAccessor(frame: frame, column: slots.column(of: slot, form), slot: slot))
    }
  }

  /// Records that a comparison uses the ID at the end of a path, if the path ends in one.
  mutating func recordComparison(of path: BoundPath) {
    if let destination = path.destination { comparedEntities?.append(destination) }
  }

  // MARK: Values

  mutating func value(_ expression: BoundExpression) -> CompiledValue {
    switch expression {
    case .constant(let value, _): return ConstantValue(local(value))
    case .property(let path):
      recordComparison(of: path)
      return PathValue(steps(path), path.terminal)
    case .count(let members):
      return ComputedValue(numberOf: enter(members))
    case .statistic(let function, let values):
      return ComputedValue(function, of: memberValues(values))
    case .arithmetic(let operation, let left, let right):
      return ArithmeticValue(operation, value(left), value(right))
    case .function(let function, let arguments): return self.function(function, arguments)
    case .random(let limit):
      return ComputedValue(randomBelow: limit.map { value($0) }, limit?.kind ?? .integer)
    case .conditional(let predicate, let first, let second):
      return ComputedValue(if: condition(predicate), value(first), value(second))
    case .element(let members, let position, let element):
      let accessor = enter(members)
      return ComputedValue(value(element), ofMemberAt: position, accessor)
    case .groupAggregate:
      return ComputedValue { _ in
        throw CoreDataError.badRequest("an aggregate of a group has no value for a single object")
      }
    case .entity(let path), .entityName(let path):
      let steps = steps(path)
      return ComputedValue { try steps.destination($0).map { .text($0.layout.name) } ?? .null }
    }
  }

  private mutating func function(
    _ function: BoundFunction, _ arguments: [BoundExpression]
  ) -> CompiledValue {
    let values = arguments.map { value($0) }
    switch values.count {
    case 1: return FunctionValue(function, values[0], nil)
    case 2: return FunctionValue(function, values[0], values[1])
    default:
      return ComputedValue { frames in
        try function.value(try values.map { try $0.value(frames) })
      }
    }
  }

  private mutating func memberValues(_ values: BoundValues) -> MemberValues {
    let members = enter(values.members)
    return MemberValues(
      members: members, element: value(values.element), kind: values.element.kind,
      isDistinct: values.isDistinct, keepsNulls: values.keepsNulls)
  }
}
