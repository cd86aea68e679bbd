package import ObjectModel

/// A line between two cards: a relationship and, where it has one, its inverse.
package struct RelationLine: Hashable, Sendable {
  /// How many objects there can be at one end.
  package struct Cardinality: Hashable, Sendable {
    /// The least number.
    package var minimum: Int
    /// The greatest number; nil for no limit.
    package var maximum: Int?
    /// Whether there may be none although the least number is not 0: `minimum` is asked only of
    /// objects that have any.
    package var allowsNone = false

    /// Whether none is possible.
    package var includesNone: Bool { minimum == 0 || allowsNone }
    /// Whether more than one is possible.
    package var includesMany: Bool { maximum != 1 }

    /// The counts as diagrams write them: `0..1`, `1..*`, `2..5`, `0,2..5`.
    package var text: String {
      let most = maximum.map(String.init) ?? "*"
      let range = maximum == minimum ? "\(minimum)" : "\(minimum)..\(most)"
      return allowsNone && minimum > 0 ? "0,\(range)" : range
    }
  }

  /// One end of a line: the relationship that starts there.
  package struct End: Hashable, Sendable {
    /// The card's place in the diagram.
    package var card: Int
    /// The row's place in the card; nil at the far end of a relationship without an inverse.
    package var row: Int?
    /// The name of the relationship that starts here; nil as above.
    package var name: String?
    /// How many objects the relationship that starts here leads to; nil as above.
    package var leadsTo: Cardinality?
    /// Whether the objects it leads to have an order.
    package var isOrdered = false
    /// What deleting the object here does; nil as above.
    package var deleteRule: NSDeleteRule?
  }

  /// The end whose relationship comes first in the model.
  package var source: End
  /// The other end.
  package var target: End
  /// Whether the relationship is its own inverse, as that of a friend to friends can be.
  package var isOwnInverse = false
}
