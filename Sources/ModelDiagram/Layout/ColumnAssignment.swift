/// Assigns each box of a component to a column, so that lines are short and the picture has about the desired
/// proportions.
///
/// It starts with the longest paths (parents left of children, owners left of the owned) and then
/// moves single boxes as long as that lowers the total cost: the length of each line in columns, a
/// surcharge for lines against their direction or within a column, and the excess height of
/// columns. This places the members of a star on both sides of its center and in several columns;
/// longest paths alone would stack them in one.
struct ColumnAssignment {
  /// The ratio of a picture's width to its height.
  static let aspect = 1.5
  /// The free space below a box.
  static let boxGap = 30.0
  /// The approximate width of the channel beside a column.
  static let channelWidth = 100.0

  private let graph: CardGraph
  private let incident: [[Int]]
  private let targetHeight: Double
  private let usualHeight: Double
  private var columns: [Int]
  private var heights: [Int: Double] = [:]

  /// Returns the column of each box. The leftmost column is 0, and none is empty.
  ///
  /// - Parameter height: The height of the columns, relative to the height that follows from the boxes' area and the
  ///   desired proportions.
  static func columns(of graph: CardGraph, height: Double) -> [Int] {
    guard graph.sizes.count > 1 else { return graph.sizes.map { _ in 0 } }
    var assignment = ColumnAssignment(graph, height: height)
    assignment.improve()
    // Moves may leave columns empty and reach below 0.
    let used = Set(assignment.columns).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: used.enumerated().map { ($1, $0) })
    return assignment.columns.map { numbers[$0] ?? 0 }
  }

  private init(_ graph: CardGraph, height: Double) {
    self.graph = graph
    var incident: [[Int]] = Array(repeating: [], count: graph.sizes.count)
    for (number, edge) in graph.edges.enumerated() where !edge.isLoop {
      incident[edge.tail.card].append(number)
      incident[edge.head.card].append(number)
    }
    self.incident = incident
    let heights = graph.sizes.map { $0.height + Self.boxGap }
    let area = zip(graph.sizes, heights).reduce(0) {
      $0 + ($1.0.width + Self.channelWidth) * $1.1
    }
    usualHeight = heights.reduce(0, +) / Double(max(heights.count, 1))
    // No column can be shorter than its tallest box, so a smaller target would only penalize that box.
    targetHeight = max(heights.max() ?? 0, height * (area / Self.aspect).squareRoot())
    columns = LongestPaths.columns(of: graph)
    for (card, column) in columns.enumerated() {
      self.heights[column, default: 0] += heights[card]
    }
  }

  private mutating func improve() {
    let order = graph.sizes.indices.sorted {
      (incident[$0].count, $1) < (incident[$1].count, $0)
    }
    // Each pass is linear. A few are usually enough; the limit is a safeguard.
    for _ in 0..<40 {
      var hasChanged = false
      for card in order { if moveToCheapest(card) { hasChanged = true } }
      if !hasChanged { return }
    }
  }

  private mutating func moveToCheapest(_ card: Int) -> Bool {
    let here = columns[card]
    let height = graph.sizes[card].height + Self.boxGap
    var candidates: Set<Int> = []
    for number in incident[card] {
      let column = columns[neighbor(of: card, by: number)]
      for step in -3...3 { candidates.insert(column + step) }
    }
    let staying = lineCost(of: card, in: here) + crowding(here, with: 0)
    var best = (cost: 0.0, column: here)
    // Sorted, because the order of a set differs from run to run and decides between equal costs.
    for column in candidates.sorted() where column != here {
      let change =
        lineCost(of: card, in: column) + crowding(column, with: height)
        - crowding(column, with: 0) + crowding(here, with: -height) - staying
      // Without a margin, rounding errors could move a box back and forth.
      if change < best.cost - 1e-6 { best = (change, column) }
    }
    guard best.column != here else { return false }
    columns[card] = best.column
    heights[here, default: 0] -= height
    heights[best.column, default: 0] += height
    return true
  }

  private func neighbor(of card: Int, by number: Int) -> Int {
    let edge = graph.edges[number]
    return edge.tail.card == card ? edge.head.card : edge.tail.card
  }

  private func lineCost(of card: Int, in column: Int) -> Double {
    var cost = 0.0
    for number in incident[card] {
      let edge = graph.edges[number]
      let other = columns[neighbor(of: card, by: number)]
      let steps = edge.tail.card == card ? other - column : column - other
      switch steps {
      case 0: cost += edge.isInheritance ? 5 : 2.6
      case ..<0: cost += Double(-steps) + (edge.isInheritance ? 3 : 0.3)
      default: cost += Double(steps)
      }
    }
    return cost
  }

  private func crowding(_ column: Int, with height: Double) -> Double {
    let excess = heights[column, default: 0] + height - targetHeight
    return excess <= 0 ? 0 : 2.2 * excess / usualHeight
  }
}
