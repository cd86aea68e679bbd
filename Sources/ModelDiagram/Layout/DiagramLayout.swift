/// Where everything of a diagram is drawn.
///
/// `builtIn(_:)` places each component in columns, in four steps (`LayeredLayout`): `ColumnAssignment`, `ColumnOrder`,
/// `ColumnPlacement` and `ChannelRouting`. `graphviz(_:timeLimit:)` uses the same columns and leaves the other steps to
/// `dot` (`GraphvizPlan`). Both put the components side by side with `ComponentPacking`.
package struct DiagramLayout: Hashable, Sendable {
  /// The way of a line from its source to its target.
  package struct Route: Hashable, Sendable {
    /// The corners of a line of straight pieces; of a curved one the start and then, for each cubic
    /// piece, two control points and the end.
    package var points: [Point]
    /// Whether the line is curved.
    package var isCurved = false
  }

  /// The frames of the cards, in the order of the diagram's cards.
  package var cards: [Frame]
  /// The ways of the relations, in the order of the diagram's relations.
  package var relations: [Route]
  /// The ways of the arrows from child to parent, in the order of the diagram's inheritances.
  package var inheritances: [Route]
  /// The right edge of what is drawn; the left one is 0.
  package var width: Double
  /// The lower edge of what is drawn; the upper one is 0.
  package var height: Double
}
