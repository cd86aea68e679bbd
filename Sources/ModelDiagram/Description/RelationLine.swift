package import ObjectModel

/// A line between two cards: a relationship and its inverse, if it has one.
package struct RelationLine: Hashable, Sendable {
  /// The number of objects at one end.
  package struct Cardinality: Hashable, Sendable {
    /// The minimum.
    package var minimum: Int
    /// The maximum; nil for no limit.
    package var maximum: Int?
    /// Whether there may be none although the minimum is greater than 0: an optional relationship may be empty, and
    /// the minimum applies otherwise.
    package var allowsNone = false

    /// Whether there may be none.
    package var includesNone: Bool { minimum == 0 || allowsNone }
    /// Whether there may be more than one.
    package var includesMany: Bool { maximum != 1 }

    /// The counts in the notation of diagrams: `0..1`, `1..*`, `2..5`, `0,2..5`.
    package var text: String {
      let most = maximum.map(String.init) ?? "*"
      let range = maximum == minimum ? "\(minimum)" : "\(minimum)..\(most)"
      return allowsNone && minimum > 0 ? "0,\(range)" : range
    }
  }

  /// One end of a line: the relationship that starts there.
  package struct End: Hashable, Sendable {
    /// The index of the card in the diagram.
    package var card: Int
    /// The index of the row in the card; nil if no relationship starts here: the one at the other end has no inverse.
    package var row: Int?
    /// The name of the relationship that starts here; nil if there is none.
    package var name: String?
    /// The number of objects of the relationship that starts here; nil if there is none.
    package var leadsTo: Cardinality?
    /// Whether the relationship that starts here is ordered.
    package var isOrdered = false
    /// The delete rule of the relationship that starts here; nil if there is none.
    package var deleteRule: NSDeleteRule?
  }

  /// The end whose relationship comes first in the model.
  package var source: End
  /// The other end.
  package var target: End
  /// Whether the relationship is its own inverse, such as `friends`.
  package var isOwnInverse = false
}
