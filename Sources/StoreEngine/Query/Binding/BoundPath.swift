/// A key path to one value: to-one steps, then an attribute, a to-one relationship, or the object itself.
package struct BoundPath: Equatable {
  /// The level of the object at which the path begins. Level 0 is the row of the request. Each other level represents
  /// the members of one to-many relationship in the predicate.
  package let level: Int
  package let start: EntityLayout
  /// The slots of the to-one steps.
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
    /// The ID of the destination of a to-one relationship.
    case reference(Int)
    /// The ID of the object at the end of the steps.
    case object
  }

  package static func == (left: BoundPath, right: BoundPath) -> Bool {
    // The end follows from the start and the steps.
    left.level == right.level && left.start === right.start && left.steps == right.steps
      && left.terminal == right.terminal
  }

  package var kind: ValueKind {
    switch terminal {
    case .attribute(let slot), .reference(let slot): ValueKind(end.slots[slot])
    case .object: .object(end)
    }
  }

  /// Whether the path is the row itself, which always exists.
  package var isRow: Bool { steps.isEmpty && terminal == .object }

  /// The slot of the attribute at the end.
  package var attribute: PropertySlot? {
    if case .attribute(let slot) = terminal { end.slots[slot] } else { nil }
  }

  /// The entity of the object whose ID the path returns.
  package var destination: EntityLayout? {
    switch terminal {
    case .attribute: nil
    case .object: end
    case .reference(let slot): end.slots[slot].relationship?.destination
    }
  }

  /// The key path as text.
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

/// A to-many relationship at the end of to-one steps. Its members are the rows of another level.
package struct BoundCollection {
  /// The path to the owner. Its terminal is `.object`.
  package let owner: BoundPath
  package let slot: Int
  /// The level of the members.
  package let level: Int
  package let destination: EntityLayout

  package var name: String { owner.end.slots[slot].name }

  package var isOrdered: Bool { owner.end.slots[slot].relationship?.isOrdered == true }

  /// The member itself.
  package var member: BoundExpression {
    .property(
      BoundPath(level: level, start: destination, steps: [], end: destination, terminal: .object))
  }
}
