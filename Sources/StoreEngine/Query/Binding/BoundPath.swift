/// A key path that ends in one value: to-one steps, then an attribute, a to-one relationship, or
/// the object itself.
package struct BoundPath: Equatable {
  /// Which object the path starts from: 0 is the row of the request, every other number means the
  /// members of one to-many relationship that the predicate enters.
  package let level: Int
  package let start: EntityLayout
  /// The to-one slots passed through.
  package let steps: [Int]
  /// The entity at the end of the steps.
  package let end: EntityLayout
  package let terminal: Terminal

  package init(
    level: Int, start: EntityLayout, steps: [Int], end: EntityLayout, terminal: Terminal
  ) {
    self.level = level
    self.start = start
    self.steps = steps
    self.end = end
    self.terminal = terminal
  }

  package enum Terminal: Equatable {
    case attribute(Int)
    /// The ID of a to-one relationship's destination.
    case reference(Int)
    /// The ID of the object at the end of the steps.
    case object
  }

  package static func == (left: BoundPath, right: BoundPath) -> Bool {
    left.level == right.level && left.start === right.start && left.steps == right.steps
      && left.terminal == right.terminal
  }

  package var kind: ValueKind {
    switch terminal {
    case .attribute(let slot), .reference(let slot): ValueKind(end.slots[slot])
    case .object: .object(end)
    }
  }

  /// Whether the path never leads to nothing: the row itself.
  package var isRow: Bool { steps.isEmpty && terminal == .object }

  /// The slot of the attribute at the end.
  package var attribute: PropertySlot? {
    if case .attribute(let slot) = terminal { end.slots[slot] } else { nil }
  }

  /// The entity that the path's value is an ID of.
  package var destination: EntityLayout? {
    switch terminal {
    case .attribute: nil
    case .object: end
    case .reference(let slot): end.slots[slot].relationship?.destination
    }
  }

  /// The key path as it was written.
  package var text: String {
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
package struct BoundCollection {
  /// A path to the owner: its terminal is `.object`.
  package let owner: BoundPath
  package let slot: Int
  /// The level of the members.
  package let level: Int
  package let destination: EntityLayout

  package var name: String { owner.end.slots[slot].name }

  package var isOrdered: Bool { owner.end.slots[slot].relationship?.isOrdered == true }

  /// A member itself.
  package var member: BoundExpression {
    .property(
      BoundPath(level: level, start: destination, steps: [], end: destination, terminal: .object))
  }
}
