/// The positions of all parts of a diagram.
///
/// `builtIn(_:)` places each component in columns, in four steps (`LayeredLayout`): `ColumnAssignment`, `ColumnOrder`,
/// `ColumnPlacement` and `ChannelRouting`. `graphviz(_:timeLimit:)` uses the same columns and leaves the other steps to
/// `dot` (`GraphvizPlan`). Both put the components side by side with `ComponentPacking`.
package struct DiagramLayout: Hashable, Sendable {
  /// The route of a line from its source to its target.
  package struct Route: Hashable, Sendable {
    /// For a line of straight segments, its corners; for a curve, the start, and for each cubic
    /// segment two control points and the end.
    package var points: [Point]
    /// Whether the line is curved.
    package var isCurved = false
  }

  /// The frames of the cards, in the order of the diagram's cards.
  package var cards: [Frame]
  /// The routes of the relations, in the order of the diagram's relations.
  package var relations: [Route]
  /// The routes of the arrows from child to parent, in the order of the diagram's inheritances.
  package var inheritances: [Route]
  /// The right edge of the drawing; the left edge is 0.
  package var width: Double
  /// The lower edge of the drawing; the upper edge is 0.
  package var height: Double
}
