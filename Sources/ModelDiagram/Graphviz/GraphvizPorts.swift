/// The ports of the cards, at which lines begin or end, as cells of Graphviz tables.
struct GraphvizPorts {
  private let heights: [[Double]]
  private let numbers: [[Double: Int]]

  init(_ graph: CardGraph) {
    var heights: [Set<Double>] = Array(repeating: [], count: graph.sizes.count)
    for edge in graph.edges where !edge.isLoop {
      heights[edge.tail.card].insert(edge.tail.y)
      heights[edge.head.card].insert(edge.head.y)
    }
    let sorted = heights.map { $0.sorted() }
    self.heights = sorted
    numbers = sorted.map { ys in
      Dictionary(uniqueKeysWithValues: ys.enumerated().map { ($1, $0) })
    }
  }

  /// Returns the index of a port among those of its card.
  func number(of port: CardGraph.Port) -> Int {
    numbers[port.card][port.y] ?? 0
  }

  /// Returns a card as a table with one column: a cell around each port, and empty cells between them.
  ///
  /// Graphviz uses whole points; `GraphvizPlan` corrects the rounding when it reads the lines.
  func table(of card: Int, width: Int, height: Double) -> String {
    let whole = Int(height.rounded())
    var rows = ""
    var end = 0
    func add(_ height: Int, port: Int?) {
      guard height > 0 else { return }
      let name = port.map { " PORT=\"p\($0)\"" } ?? ""
      rows +=
        "<TR><TD\(name) FIXEDSIZE=\"TRUE\" WIDTH=\"\(width)\" HEIGHT=\"\(height)\"></TD></TR>"
    }
    let ys = heights[card]
    for (place, y) in ys.enumerated() {
      var reach = min(y, height - y)
      // Graphviz connects a line to the middle of a cell, so each port must be in the middle of its cell.
      if place > 0 { reach = min(reach, (y - ys[place - 1]) / 2) }
      if place + 1 < ys.count { reach = min(reach, (ys[place + 1] - y) / 2) }
      let top = max(Int((y - reach).rounded()), end)
      let bottom = max(Int((y + reach).rounded()), top + 1)
      add(top - end, port: nil)
      add(bottom - top, port: place)
      end = bottom
    }
    add(whole - end, port: nil)
    return
      "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\">\(rows)</TABLE>"
  }
}
