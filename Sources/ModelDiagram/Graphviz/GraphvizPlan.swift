/// A component in the form that Graphviz's `dot` lays out: boxes without text in the sizes of the cards,
/// with ports where lines begin or end.
///
/// ``LayeredLayout`` computes the columns, because `dot` does not optimize the height and would
/// stack all members of a star in a single column. `dot` determines order, positions and curves.
struct GraphvizPlan {
  /// The free space at the left and right of a card, which lines cross in a straight segment, with room for their
  /// crow's feet.
  static let stub = 22.0
  /// The distance between loops of the same card.
  static let loopDistance = 9.0

  let graph: CardGraph
  let columns: [Int]
  /// The sizes of the cards. All cards of a column have the same width.
  let sizes: [CardGraph.Size]
  /// The number of loops at each card.
  let loops: [Int]

  init(_ graph: CardGraph) {
    self.graph = graph
    let columns = LayeredLayout.columns(of: graph)
    let widths = graph.widths(ofColumns: columns)
    sizes = graph.sizes.enumerated().map {
      CardGraph.Size(width: widths[columns[$0]], height: $1.height)
    }
    var loops = Array(repeating: 0, count: graph.sizes.count)
    for edge in graph.edges where edge.isLoop { loops[edge.tail.card] += 1 }
    self.loops = loops
    self.columns = columns
  }

  /// Returns the free space at the right of a card.
  func rightMargin(_ card: Int) -> Double {
    Self.stub + Double(loops[card]) * Self.loopDistance
  }

  /// Returns whether the head of a line is left of its tail.
  func isBackward(_ edge: CardGraph.Edge) -> Bool {
    columns[edge.head.card] < columns[edge.tail.card]
  }

  /// The graph in the DOT language.
  var text: String {
    var lines = [
      "digraph {",
      "graph [rankdir=LR, splines=true, nodesep=0.4, ranksep=1.1, remincross=true];",
      "node [shape=none, margin=0, label=\"\"];",
      "edge [dir=none];",
    ]
    let ports = GraphvizPorts(graph)
    for (card, size) in sizes.enumerated() {
      let left = Int(Self.stub)
      let right = Int(rightMargin(card))
      let table = ports.table(
        of: card, width: Int(size.width.rounded(.up)) + left + right, height: size.height)
      lines.append("n\(card) [label=<\(table)>];")
    }
    var cardsByColumn: [[Int]] = Array(repeating: [], count: (columns.max() ?? 0) + 1)
    for (card, column) in columns.enumerated() { cardsByColumn[column].append(card) }
    for (column, cards) in cardsByColumn.enumerated() {
      // A chain of invisible points keeps the columns in their order, regardless of the lines between the cards.
      lines.append("c\(column) [shape=point, width=0.01, height=0.01, style=invis];")
      if column > 0 { lines.append("c\(column - 1) -> c\(column) [style=invis];") }
      let members = cards.map { "; n\($0)" }
      lines.append("{rank=same; c\(column)\(members.joined())}")
    }
    for (number, edge) in graph.edges.enumerated() where !edge.isLoop {
      let isBackward = isBackward(edge)
      let left = isBackward ? edge.head : edge.tail
      let right = isBackward ? edge.tail : edge.head
      // A line within a column begins and ends at the right of its cards, in the shape of a bracket.
      let side = columns[left.card] == columns[right.card] ? "e" : "w"
      // The plain output contains no edge identifiers, but it preserves the color.
      lines.append(
        "n\(left.card):p\(ports.number(of: left)):e -> "
          + "n\(right.card):p\(ports.number(of: right)):\(side) "
          + "[color=\"\(GraphvizPlan.color(of: number))\", weight=\(edge.isInheritance ? 3 : 2)];")
    }
    lines.append("}")
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a color that encodes the index of a line.
  static func color(of number: Int) -> String {
    let digits = String(number, radix: 16)
    return "#" + String(repeating: "0", count: max(6 - digits.count, 0)) + digits
  }

  /// Returns the index that a color encodes.
  static func number(ofColor color: some StringProtocol) -> Int? {
    Int(String(color.filter { $0 != "#" && $0 != "\"" }), radix: 16)
  }
}
