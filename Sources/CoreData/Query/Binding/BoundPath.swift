import Foundation

/// A key path that ends in one value: to-one steps, then an attribute, a to-one relationship, or
/// the object itself.
struct BoundPath: Equatable {
  /// Which object the path starts from: 0 is the row of the request, every other number means the
  /// members of one to-many relationship that the predicate enters.
  let level: Int
  let start: EntityLayout
  /// The to-one slots passed through.
  let steps: [Int]
  /// The entity at the end of the steps.
  let end: EntityLayout
  let terminal: Terminal

  enum Terminal: Equatable {
    case attribute(Int)
    /// The ID of a to-one relationship's destination.
    case reference(Int)
    /// The ID of the object at the end of the steps.
    case object
  }

  static func == (left: BoundPath, right: BoundPath) -> Bool {
    left.level == right.level && left.start === right.start && left.steps == right.steps
      && left.terminal == right.terminal
  }

  var kind: ValueKind {
    switch terminal {
    case .attribute(let slot), .reference(let slot): ValueKind(end.slots[slot])
    case .object: .object(end)
    }
  }

  /// Whether the path never leads to nothing: the row itself.
  var isRow: Bool { steps.isEmpty && terminal == .object }

  /// The slot of the attribute at the end.
  var attribute: PropertySlot? {
    if case .attribute(let slot) = terminal { end.slots[slot] } else { nil }
  }

  /// The entity that the path's value is an ID of.
  var destination: EntityLayout? {
    switch terminal {
    case .attribute: nil
    case .object: end
    case .reference(let slot): end.slots[slot].relationship?.destination
    }
  }

  /// The key path as it was written.
  var text: String {
    var names: [String] = []
    var layout = start
    for step in steps {
      names.append(layout.slots[step].name)
      layout = layout.slots[step].relationship?.destination ?? layout
    }
    switch terminal {
    case .attribute(let slot), .reference(let slot): names.append(end.slots[slot].name)
    case .object: if names.isEmpty { names.append("SELF") }
    }
    return names.joined(separator: ".")
  }
}

/// A to-many relationship reached by to-one steps; its members are the rows of the next level.
struct BoundCollection {
  /// A path to the owner: its terminal is `.object`.
  let owner: BoundPath
  let slot: Int
  /// The level of the members.
  let level: Int
  let destination: EntityLayout

  var name: String { owner.end.slots[slot].name }

  var isOrdered: Bool { owner.end.slots[slot].relationship?.isOrdered == true }

  /// A member itself.
  var member: BoundExpression {
    .property(
      BoundPath(level: level, start: destination, steps: [], end: destination, terminal: .object))
  }
}
