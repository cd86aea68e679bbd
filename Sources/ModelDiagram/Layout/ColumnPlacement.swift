/// Assigns a vertical position to each item of ordered columns, so that lines are as straight as the order allows.
///
/// Each item has a preferred position at which its lines are horizontal. Contradicting preferences in a column
/// are resolved by least squares under the condition that items keep their order and minimum distance
/// (the pool-adjacent-violators algorithm for isotonic regression, which is exact).
struct ColumnPlacement {
  private struct Link {
    var other: Int
    var ownY: Double
    var otherY: Double
    var weight: Double
  }

  private let graph: ColumnGraph
  private let columns: [[Int]]
  private var leftLinks: [[Link]]
  private var rightLinks: [[Link]]
  private var tops: [Double]

  /// Returns the upper edge of each item. The minimum is 0.
  static func tops(of graph: ColumnGraph, columns: [[Int]]) -> [Double] {
    var placement = ColumnPlacement(graph, columns)
    placement.run()
    let least = placement.tops.min() ?? 0
    return placement.tops.map { $0 - least }
  }

  private init(_ graph: ColumnGraph, _ columns: [[Int]]) {
    self.graph = graph
    self.columns = columns
    leftLinks = Array(repeating: [], count: graph.items.count)
    rightLinks = leftLinks
    tops = Array(repeating: 0, count: graph.items.count)
    for strand in graph.strands where !strand.isBracket {
      // The weights keep lines that pass several columns from zigzagging.
      let lanes =
        (graph.items[strand.left].isLane ? 1 : 0)
        + (graph.items[strand.right].isLane ? 1 : 0)
      let weight = [1.0, 3.0, 10.0][lanes]
      rightLinks[strand.left].append(
        Link(
          other: strand.right, ownY: strand.leftY, otherY: strand.rightY, weight: weight))
      leftLinks[strand.right].append(
        Link(
          other: strand.left, ownY: strand.rightY, otherY: strand.leftY, weight: weight))
    }
    for column in columns {
      let height = column.reduce(0) { $0 + graph.items[$1].height + 20 }
      var y = -height / 2
      for item in column {
        tops[item] = y
        y += graph.items[item].height + 20
      }
    }
  }

  private mutating func run() {
    let forth = Array(columns.indices)
    for round in 0..<10 {
      for column in round % 2 == 0 ? forth : forth.reversed() {
        settle(column, left: round % 2 == 0 || round > 5, right: round % 2 == 1 || round > 5) {
          Self.mean($0)
        }
      }
    }
    // The mean of several preferences makes no line horizontal; their median makes one line horizontal.
    for round in 0..<6 {
      for column in round % 2 == 0 ? forth : forth.reversed() {
        settle(column, left: true, right: true) { Self.median($0) }
      }
    }
  }

  private typealias Wish = (top: Double, weight: Double)

  private mutating func settle(
    _ column: Int, left: Bool, right: Bool, _ choose: ([Wish]) -> Double
  ) {
    var wishes: [Wish] = []
    var offsets: [Double] = []
    var offset = 0.0
    var previous: Int?
    for item in columns[column] {
      if let previous { offset += graph.items[previous].height + gap(previous, item) }
      previous = item
      // The heights and gaps above an item are subtracted from its position. Then the only condition is that positions
      // ascend, as the regression requires.
      offsets.append(offset)
      let links = (left ? leftLinks[item] : []) + (right ? rightLinks[item] : [])
      if links.isEmpty {
        // An item without lines has a small weight, so it hardly moves other items.
        wishes.append((tops[item] - offset, 0.05))
      } else {
        // A weak preference for the center keeps distant columns from drifting up or down.
        let own =
          links.map { (tops[$0.other] + $0.otherY - $0.ownY, $0.weight) }
          + [(-graph.items[item].height / 2, 0.2)]
        wishes.append((choose(own) - offset, own.reduce(0) { $0 + $1.1 }))
      }
    }
    let values = Self.ascending(wishes)
    for (place, item) in columns[column].enumerated() {
      tops[item] = values[place] + offsets[place]
    }
  }

  private func gap(_ upper: Int, _ lower: Int) -> Double {
    switch (graph.items[upper].isLane, graph.items[lower].isLane) {
    case (true, true): 0
    case (false, false): ColumnAssignment.boxGap
    default: 10
    }
  }

  private static func mean(_ wishes: [Wish]) -> Double {
    wishes.reduce(0) { $0 + $1.top * $1.weight } / wishes.reduce(0) { $0 + $1.weight }
  }

  private static func median(_ wishes: [Wish]) -> Double {
    let sorted = wishes.sorted { $0.top < $1.top }
    let half = sorted.reduce(0) { $0 + $1.weight } / 2
    var sum = 0.0
    for wish in sorted {
      sum += wish.weight
      if sum >= half { return wish.top }
    }
    return sorted.last?.top ?? 0
  }

  /// Returns the ascending values that are nearest to the preferences.
  private static func ascending(_ wishes: [Wish]) -> [Double] {
    var blocks: [(value: Double, weight: Double, count: Int)] = []
    for wish in wishes {
      var block = (value: wish.top, weight: wish.weight, count: 1)
      while let last = blocks.last, last.value > block.value {
        let weight = last.weight + block.weight
        block.value = (last.value * last.weight + block.value * block.weight) / weight
        block.weight = weight
        block.count += last.count
        blocks.removeLast()
      }
      blocks.append(block)
    }
    return blocks.flatMap { Array(repeating: $0.value, count: $0.count) }
  }
}
