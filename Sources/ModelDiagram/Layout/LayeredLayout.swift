/// Lays out a component in columns from left to right, with lines of horizontal and vertical segments between
/// the cards.
///
/// By construction, cards do not overlap, and lines touch only their own cards: a line runs
/// vertically only between columns, and passes a column in a separate lane.
struct LayeredLayout {
  /// Lays out boxes and lines.
  static func place(_ graph: CardGraph) -> PlacedComponent {
    best(graph).placed
  }

  /// Returns the column of each box in the best layout.
  static func columns(of graph: CardGraph) -> [Int] {
    best(graph).columns
  }

  /// Tries columns of several heights and returns the most readable layout, because the best height depends
  /// on how the boxes are connected. Large graphs get fewer trials, because each one takes longer.
  private static func best(_ graph: CardGraph) -> (placed: PlacedComponent, columns: [Int]) {
    let trials =
      switch graph.sizes.count {
      case ...60: 8
      case ...150: 5
      case ...250: 2
      default: 1
      }
    let heights = [1, 0.7, 0.5, 1.4, 0.85, 0.6, 1.2, 1.7].prefix(trials)
    var best: (placed: PlacedComponent, columns: [Int], effort: Double)?
    var tried: Set<[Int]> = []
    for height in heights {
      let columns = ColumnAssignment.columns(of: graph, height: height)
      // Different heights may lead to the same columns, and so to the same layout.
      guard tried.insert(columns).inserted else { continue }
      let columnGraph = ColumnGraph(graph, columns: columns)
      let order = ColumnOrder.columns(of: columnGraph)
      let tops = ColumnPlacement.tops(of: columnGraph, columns: order.columns)
      let placed = LayeredLayout(graph, columns, columnGraph, tops).placed()
      let effort = placed.effort(crossings: order.crossings)
      if best.map({ effort < $0.effort }) ?? true { best = (placed, columns, effort) }
    }
    guard let best else {
      return (PlacedComponent(cards: [], routes: [], width: 0, height: 0), [])
    }
    return (best.placed, best.columns)
  }

  private let graph: CardGraph
  private let columns: [Int]
  private let columnGraph: ColumnGraph
  private let tops: [Double]
  private let channels: [ChannelRouting]
  private let columnX: [Double]
  private let columnWidths: [Double]

  private init(
    _ graph: CardGraph, _ columns: [Int], _ columnGraph: ColumnGraph, _ tops: [Double]
  ) {
    self.graph = graph
    self.columns = columns
    self.columnGraph = columnGraph
    self.tops = tops
    let count = columnGraph.columnCount
    var wires: [[ColumnGraph.Net: ChannelRouting.Wire]] = Array(repeating: [:], count: count)
    for strand in columnGraph.strands {
      let column = columnGraph.items[strand.left].column
      var wire = wires[column][strand.net] ?? ChannelRouting.Wire(net: strand.net)
      wire.left.append(tops[strand.left] + strand.leftY)
      if strand.isBracket {
        wire.left.append(tops[strand.right] + strand.rightY)
        wire.isBracket = true
      } else {
        wire.right.append(tops[strand.right] + strand.rightY)
      }
      wires[column][strand.net] = wire
    }
    channels = wires.enumerated().map { column, wires in
      ChannelRouting(
        // The order of a dictionary differs from run to run, and the layout must not.
        wires.values.sorted { ColumnGraph.Net.precedes($0.net, $1.net) },
        isOutermost: column == count - 1)
    }
    columnWidths = graph.widths(ofColumns: columns)
    var x = 0.0
    var places: [Double] = []
    for (width, channel) in zip(columnWidths, channels) {
      places.append(x)
      x += width + channel.width
    }
    columnX = places
  }

  private func placed() -> PlacedComponent {
    let cards = graph.sizes.enumerated().map { card, size in
      Frame(
        x: columnX[columns[card]], y: tops[columnGraph.itemByCard[card]],
        width: columnWidths[columns[card]], height: size.height)
    }
    let routes = graph.edges.indices.map { DiagramLayout.Route(points: points(of: $0)) }
    let corners = routes.flatMap(\.points)
    let width = max(cards.map(\.right).max() ?? 0, corners.map(\.x).max() ?? 0)
    let height = max(cards.map(\.bottom).max() ?? 0, corners.map(\.y).max() ?? 0)
    return PlacedComponent(cards: cards, routes: routes, width: width, height: height)
  }

  /// Returns the corners of a line from its tail to its head.
  private func points(of edge: Int) -> [Point] {
    var points: [Point] = []
    for number in columnGraph.strandsByEdge[edge] {
      let strand = columnGraph.strands[number]
      let column = columnGraph.items[strand.left].column
      let start = columnX[column] + columnWidths[column]
      let leftY = tops[strand.left] + strand.leftY
      let rightY = tops[strand.right] + strand.rightY
      let track = channels[column].trackByNet[strand.net].map { start + $0 }
      points.append(Point(start, leftY))
      if let track {
        points.append(Point(track, leftY))
        points.append(Point(track, rightY))
      }
      points.append(Point(strand.isBracket ? start : start + channels[column].width, rightY))
    }
    let line = graph.edges[edge]
    let isBackward = columns[line.head.card] < columns[line.tail.card]
    return Polyline.simplified(isBackward ? points.reversed() : points)
  }
}

extension PlacedComponent {
  /// Estimates the effort of reading the picture from the length, corners and crossings of its lines and from its
  /// area, which counts more if its proportions differ from those of a page.
  func effort(crossings: Int) -> Double {
    var length = 0.0
    var corners = 0
    for route in routes {
      corners += max(route.points.count - 2, 0)
      for (start, end) in zip(route.points, route.points.dropFirst()) {
        length += start.distance(to: end)
      }
    }
    let aspect = max(width, 1) / max(height, 1) / ColumnAssignment.aspect
    let area = width * height * max(aspect, 1 / aspect).squareRoot()
    return length + 80 * Double(crossings) + 15 * Double(corners) + 0.0015 * area
  }
}
