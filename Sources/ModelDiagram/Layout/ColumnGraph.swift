/// A component in columns: boxes, and lanes where lines pass between the boxes of a column.
struct ColumnGraph {
  /// An item of a column.
  struct Item: Hashable {
    /// The box; nil for a lane.
    var card: Int?
    var column: Int
    var height: Double
    /// Whether the item is a lane.
    var isLane: Bool { card == nil }
  }

  /// A segment of a line between two adjacent columns, or beside one.
  struct Strand: Hashable {
    var left: Int
    /// The distance of the left end from the upper edge of its item.
    var leftY: Double
    var right: Int
    var rightY: Double
    var net: Net
    /// Whether both ends are at the right side of the same column.
    var isBracket: Bool
  }

  /// A line, or several that share one end. Strands of the same net may overlap.
  ///
  /// The lines of a bundle that arrive from different sides belong to different nets.
  struct Net: Hashable {
    var isBundle: Bool
    var number: Int
    var isBackward: Bool
    var isBracket: Bool

    /// A fixed order that makes the layout deterministic.
    static func precedes(_ one: Net, _ other: Net) -> Bool {
      func key(_ net: Net) -> (Int, Int, Int, Int) {
        (net.isBundle ? 1 : 0, net.number, net.isBackward ? 1 : 0, net.isBracket ? 1 : 0)
      }
      return key(one) < key(other)
    }
  }

  static let laneHeight = 13.0

  var items: [Item] = []
  var strands: [Strand] = []
  /// The strands of each line from left to right.
  var strandsByEdge: [[Int]] = []
  var columnCount = 0
  /// The index of each box's item.
  private(set) var itemByCard: [Int] = []

  /// Splits the lines of a graph at the columns.
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
      let isBracket = columns[edge.head.card] == columns[edge.tail.card]
      let net = Net(
        isBundle: edge.bundle != nil, number: edge.bundle ?? number, isBackward: isBackward,
        isBracket: isBracket)
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
            isBracket: isBracket), &known))
      strandsByEdge.append(path)
    }
  }

  private struct Lane: Hashable {
    var net: Net
    var column: Int
  }

  private mutating func add(_ strand: Strand, _ known: inout [Strand: Int]) -> Int {
    // The lines of a bundle share their last strands. Each is added once, so that its crossings and bends
    // are counted once.
    if let place = known[strand] { return place }
    known[strand] = strands.count
    strands.append(strand)
    return strands.count - 1
  }
}
