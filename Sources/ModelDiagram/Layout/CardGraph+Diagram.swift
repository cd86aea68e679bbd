extension CardGraph {
  /// Creates the graph of a diagram with measured cards. Its edges are the relations followed by the
  /// inheritances, so that the index of an edge identifies its line.
  init(_ diagram: EntityDiagram, shapes: [CardShape]) {
    sizes = shapes.map { Size(width: $0.width, height: $0.height) }
    edges = []
    let arrivals = HeaderArrivals(diagram, shapes: shapes)
    for relation in diagram.relations {
      var source = Port(relation.source, shapes)
      var target = Port(relation.target, shapes)
      var bundle: Int?
      if let arrival = arrivals.port(of: relation) {
        target = arrival.port
        bundle = arrival.bundle
      }
      if relation.pointsBack { swap(&source, &target) }
      edges.append(Edge(tail: source, head: target, isInheritance: false, bundle: bundle))
    }
    for arrow in diagram.inheritances {
      edges.append(
        Edge(
          tail: Port(card: arrow.parent, y: HeaderArrivals.inheritanceY),
          head: Port(card: arrow.child, y: HeaderArrivals.inheritanceY), isInheritance: true,
          bundle: arrow.parent))
    }
  }
}

extension CardGraph.Port {
  /// Creates the port of an end: its row, or the heading if it has no row.
  init(_ end: RelationLine.End, _ shapes: [CardShape]) {
    let shape = shapes[end.card]
    if let row = end.row, shape.rows.indices.contains(row) {
      self.init(card: end.card, y: shape.rows[row].middle)
    } else {
      self.init(card: end.card, y: shape.headerHeight / 2)
    }
  }
}

extension RelationLine {
  /// Whether the source should be on the right, because many sources belong to one target.
  var pointsBack: Bool {
    guard let there = source.leadsTo, let back = target.leadsTo else { return false }
    return !there.includesMany && back.includesMany
  }
}

/// The ports at the headings, for line ends without a row: the far ends of relationships that have no inverse or are
/// their own inverse.
///
/// Lines to the same heading with the same cardinality share one port.
struct HeaderArrivals {
  /// The height at which the arrows of inheritance meet a heading.
  static let inheritanceY = 11.0

  private struct Group: Hashable {
    var card: Int
    var counts: RelationLine.Cardinality?
  }

  private var places: [Group: Int] = [:]
  private var counts: [Int: Int] = [:]
  private let heights: [Double]
  /// The number of the first bundle of relations. Lower numbers are bundles of inheritance, numbered by parent.
  private let firstBundle: Int

  init(_ diagram: EntityDiagram, shapes: [CardShape]) {
    heights = shapes.map(\.height)
    firstBundle = shapes.count
    for relation in diagram.relations {
      guard let group = Self.group(of: relation), places[group] == nil else { continue }
      places[group] = counts[group.card, default: 0]
      counts[group.card, default: 0] += 1
    }
  }

  private static func group(of relation: RelationLine) -> Group? {
    guard relation.isOwnInverse || relation.target.row == nil else { return nil }
    return Group(card: relation.target.card, counts: relation.source.leadsTo)
  }

  /// Returns the port of a relation's target and the number of the bundle of lines that meet there; nil for
  /// a relation that ends at a row.
  func port(of relation: RelationLine) -> (port: CardGraph.Port, bundle: Int)? {
    guard let group = Self.group(of: relation), let place = places[group] else { return nil }
    // The ports are below the arrows of inheritance, and far enough apart for the crow's feet if there is room.
    let first = Self.inheritanceY + 9
    let step = min(12, (heights[group.card] - 5 - first) / Double(counts[group.card] ?? 1))
    let y = first + step * Double(place)
    // Each card has sixteen bundle numbers; if it has more groups, the rest share the last number.
    let bundle = firstBundle + group.card * 16 + min(place, 15)
    return (CardGraph.Port(card: group.card, y: y), bundle)
  }
}
