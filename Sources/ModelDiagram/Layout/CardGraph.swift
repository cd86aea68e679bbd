/// The data that a layout needs from a diagram: boxes, and lines between points at their sides.
struct CardGraph: Sendable {
  /// The size of a box.
  struct Size: Hashable, Sendable {
    var width: Double
    var height: Double
  }

  /// A point at the side of a box. The layout chooses the side.
  struct Port: Hashable, Sendable {
    /// The box.
    var card: Int
    /// The distance from the box's upper edge.
    var y: Double
  }

  /// A line between two boxes. The tail should be left of the head.
  struct Edge: Hashable, Sendable {
    var tail: Port
    var head: Port
    /// Whether the tail is the parent of the head.
    var isInheritance: Bool
    /// The number of the line's bundle. Lines with the same number share one end point and may be drawn as one line
    /// that branches; nil for a separate line.
    var bundle: Int?

    var isLoop: Bool { tail.card == head.card }
  }

  var sizes: [Size]
  var edges: [Edge]
}

/// A connected component of a graph.
struct CardGraphComponent: Sendable {
  /// The component as a separate graph.
  var graph: CardGraph
  /// The indexes of its boxes in the whole graph.
  var cards: [Int]
  /// The indexes of its lines in the whole graph.
  var edges: [Int]
}

/// A component with all positions, its upper left corner at zero.
struct PlacedComponent: Sendable {
  var cards: [Frame]
  /// The routes of the lines from tail to head.
  var routes: [DiagramLayout.Route]
  var width: Double
  var height: Double
}

extension CardGraph {
  /// Returns the widths of the columns. Each is as wide as its widest box.
  func widths(ofColumns columns: [Int]) -> [Double] {
    var widths = Array(repeating: 0.0, count: (columns.max() ?? -1) + 1)
    for (column, size) in zip(columns, sizes) { widths[column] = max(widths[column], size.width) }
    return widths
  }

  /// Returns the connected components, in the order of their first boxes.
  func components() -> [CardGraphComponent] {
    var leaders = Array(sizes.indices)
    func leader(_ card: Int) -> Int {
      var card = card
      while leaders[card] != card {
        // Halves the path on the way, so that long chains of cards take almost linear time.
        leaders[card] = leaders[leaders[card]]
        card = leaders[card]
      }
      return card
    }
    for edge in edges {
      let tail = leader(edge.tail.card)
      let head = leader(edge.head.card)
      // The smallest index leads, so that the components are in the order of their first boxes.
      leaders[max(tail, head)] = min(tail, head)
    }
    var result: [CardGraphComponent] = []
    var placeByLeader: [Int: Int] = [:]
    var localPlaces = leaders
    for card in sizes.indices {
      let leader = leader(card)
      let place = placeByLeader[leader] ?? result.count
      if place == result.count {
        placeByLeader[leader] = place
        result.append(
          CardGraphComponent(graph: CardGraph(sizes: [], edges: []), cards: [], edges: []))
      }
      localPlaces[card] = result[place].cards.count
      result[place].cards.append(card)
      result[place].graph.sizes.append(sizes[card])
    }
    for (number, edge) in edges.enumerated() {
      guard let place = placeByLeader[leader(edge.tail.card)] else { continue }
      var local = edge
      local.tail.card = localPlaces[edge.tail.card]
      local.head.card = localPlaces[edge.head.card]
      result[place].edges.append(number)
      result[place].graph.edges.append(local)
    }
    return result
  }
}
