/// A component in columns: boxes, and lanes where a line passes a column between them.
struct ColumnGraph {
  /// What stands in a column.
  struct Item: Hashable {
    /// The box; nil for a lane.
    var card: Int?
    var column: Int
    var height: Double
    /// The number of lines that pass, for a lane.
    var isLane: Bool { card == nil }
  }

  /// A piece of a line between two neighbouring columns, or beside one.
  struct Strand: Hashable {
    var left: Int
    /// The distance of the left end from its item's upper edge.
    var leftY: Double
    var right: Int
    var rightY: Double
    /// Strands of one net are one line that branches; they may lie on each other.
    var net: Int
    /// Whether both ends are at the right side of one column.
    var isBracket: Bool
  }

  static let laneHeight = 13.0

  var items: [Item] = []
  var strands: [Strand] = []
  /// The strands of each line from left to right.
  var strandsByEdge: [[Int]] = []
  var columnCount = 0
  /// The item of each box.
  private(set) var itemByCard: [Int] = []

  /// Cuts the lines of a graph at the columns.
  init(_ graph: CardGraph, columns: [Int]) {
    columnCount = (columns.max() ?? -1) + 1
    for (card, size) in graph.sizes.enumerated() {
      itemByCard.append(items.count)
      items.append(Item(card: card, column: columns[card], height: size.height))
    }
    var lanes: [Lane: Int] = [:]
    var known: [Strand: Int] = [:]
    for (number, edge) in graph.edges.enumerated() {
      let isBackward = columns[edge.head.card] < columns[edge.tail.card]
      let left = isBackward ? edge.head : edge.tail
      let right = isBackward ? edge.tail : edge.head
      let net = net(of: number, edge, isBackward: isBackward, edgeCount: graph.edges.count)
      var path: [Int] = []
      var item = itemByCard[left.card]
      var y = left.y
      let last = columns[right.card]
      let first = columns[left.card]
      if last > first + 1 {
        for column in (first + 1)..<last {
          let lane = Lane(net: net, column: column)
          let next = lanes[lane] ?? items.count
          if next == items.count {
            lanes[lane] = next
            items.append(Item(card: nil, column: column, height: Self.laneHeight))
          }
          path.append(
            add(
              Strand(
                left: item, leftY: y, right: next, rightY: Self.laneHeight / 2, net: net,
                isBracket: false), &known))
          item = next
          y = Self.laneHeight / 2
        }
      }
      path.append(
        add(
          Strand(
            left: item, leftY: y, right: itemByCard[right.card], rightY: right.y, net: net,
            isBracket: first == last), &known))
      strandsByEdge.append(path)
    }
  }

  private struct Lane: Hashable {
    var net: Int
    var column: Int
  }

  /// The arrows of a parent's children are one net at each of its sides; all other lines are each
  /// a net of their own.
  private func net(
    of number: Int, _ edge: CardGraph.Edge, isBackward: Bool, edgeCount: Int
  ) -> Int {
    guard edge.isInheritance else { return number }
    return edgeCount + edge.tail.card * 2 + (isBackward ? 1 : 0)
  }

  private mutating func add(_ strand: Strand, _ known: inout [Strand: Int]) -> Int {
    if let place = known[strand] { return place }
    known[strand] = strands.count
    strands.append(strand)
    return strands.count - 1
  }
}
