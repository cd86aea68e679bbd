extension EntityDiagram {
  /// The diagram in the DOT language of Graphviz. `dot -Tsvg`, `dot -Tpdf` and the like render it.
  ///
  /// Each entity is a table with two ports for each row (`left0` and `right0`, …) and one for its
  /// heading (`head`).
  package var dot: String {
    let identifiers = CardIdentifiers.of(cards)
    var lines = [
      "digraph \(DOTText.quoted(title)) {",
      "  graph [rankdir=LR, nodesep=0.4, ranksep=1.2, fontname=\"Helvetica\", fontsize=17, "
        + "labelloc=t, labeljust=l, label=\(DOTText.quoted(title))];",
      "  node [shape=plain, fontname=\"Helvetica\", fontsize=12];",
      "  edge [dir=both, color=\"#54708f\", arrowsize=0.9, fontname=\"Helvetica\"];",
    ]
    for (card, identifier) in zip(cards, identifiers) {
      lines.append(
        "  \"\(identifier)\" [label=<\(DOTText.table(of: card))>, "
          + "tooltip=\(DOTText.quoted(card.explanation))];")
    }
    for arrow in inheritances {
      let tooltip = "\(cards[arrow.child].name) inherits from \(cards[arrow.parent].name)"
      lines.append(
        "  \"\(identifiers[arrow.parent])\":head:e -> \"\(identifiers[arrow.child])\":head:w "
          + "[arrowtail=onormal, arrowhead=none, color=\"#8a7440\", weight=3, "
          + "tooltip=\(DOTText.quoted(tooltip))];")
    }
    for relation in relations { lines.append(DOTText.line(of: relation, cards, identifiers)) }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }
}
