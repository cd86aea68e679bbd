extension CardGraph {
  /// The graph of a diagram whose cards have been measured: first the relations, then the
  /// inheritances, so that the number of a line says which it is.
  init(_ diagram: EntityDiagram, shapes: [CardShape]) {
    sizes = shapes.map { Size(width: $0.width, height: $0.height) }
    edges = []
    var arrivals = HeaderArrivals(diagram, shapes: shapes)
    for relation in diagram.relations {
      var source = Port(relation.source, shapes) ?? arrivals.next(at: relation.source.card)
      var target = Port(relation.target, shapes) ?? arrivals.next(at: relation.target.card)
      if relation.isOwnInverse { target = arrivals.next(at: relation.target.card) }
      if relation.pointsBack { swap(&source, &target) }
      edges.append(Edge(tail: source, head: target, isInheritance: false))
    }
    for arrow in diagram.inheritances {
      edges.append(
        Edge(
          tail: Port(card: arrow.parent, y: HeaderArrivals.inheritanceY),
          head: Port(card: arrow.child, y: HeaderArrivals.inheritanceY), isInheritance: true))
    }
  }
}

extension CardGraph.Port {
  /// The row of an end; nil for an end without one.
  init?(_ end: RelationLine.End, _ shapes: [CardShape]) {
    guard let row = end.row, shapes[end.card].rows.indices.contains(row) else { return nil }
    self.init(card: end.card, y: shapes[end.card].rows[row].middle)
  }
}

extension RelationLine {
  /// Whether the source wants to stand at the right: it belongs to one object at the target.
  var pointsBack: Bool {
    guard let there = source.leadsTo, let back = target.leadsTo else { return false }
    return !there.includesMany && back.includesMany
  }
}

/// Gives each line that ends at a heading, without a row there, a point of its own.
struct HeaderArrivals {
  /// Where the arrows of inheritance meet a heading.
  static let inheritanceY = 11.0

  private var counts: [Int]
  private var given: [Int]
  private let lowest: [Double]

  init(_ diagram: EntityDiagram, shapes: [CardShape]) {
    counts = Array(repeating: 0, count: shapes.count)
    given = counts
    lowest = shapes.map { $0.headerHeight - 5 }
    for relation in diagram.relations {
      if relation.isOwnInverse || relation.target.row == nil { counts[relation.target.card] += 1 }
      if relation.source.row == nil { counts[relation.source.card] += 1 }
    }
  }

  /// The next point at a card's heading, below those of inheritance.
  mutating func next(at card: Int) -> CardGraph.Port {
    let highest = Self.inheritanceY + 8
    given[card] += 1
    let share = Double(given[card]) / Double(max(counts[card], given[card]))
    return CardGraph.Port(card: card, y: highest + (lowest[card] - highest) * share)
  }
}
