/// Orders the items of each column to minimize crossings.
///
/// The method of Sugiyama, Tagawa and Toda (1981): sweep over the columns and sort each by the
/// mean height of its items' connections in the previous column. After each sweep, swap neighbors where that avoids a
/// crossing. Keep the best order found. A connection's height is that of the row where its line ends, not that of the
/// card.
struct ColumnOrder {
  private struct Link {
    var other: Int
    var ownY: Double
    var otherY: Double
  }

  private let graph: ColumnGraph
  private let leftLinks: [[Link]]
  private let rightLinks: [[Link]]
  private let strandsByChannel: [[Int]]
  private var columns: [[Int]]
  private var tops: [Double]

  /// Returns the items of each column from top to bottom, and the number of crossings between columns.
  static func columns(of graph: ColumnGraph) -> (columns: [[Int]], crossings: Int) {
    var order = ColumnOrder(graph)
    let crossings = order.run()
    return (order.columns, crossings)
  }

  private init(_ graph: ColumnGraph) {
    self.graph = graph
    var left: [[Link]] = Array(repeating: [], count: graph.items.count)
    var right = left
    var channels: [[Int]] = Array(repeating: [], count: graph.columnCount)
    for (number, strand) in graph.strands.enumerated() where !strand.isBracket {
      right[strand.left].append(
        Link(other: strand.right, ownY: strand.leftY, otherY: strand.rightY))
      left[strand.right].append(
        Link(other: strand.left, ownY: strand.rightY, otherY: strand.leftY))
      channels[graph.items[strand.left].column].append(number)
    }
    leftLinks = left
    rightLinks = right
    strandsByChannel = channels
    columns = Array(repeating: [], count: graph.columnCount)
    tops = Array(repeating: 0, count: graph.items.count)
    for (number, item) in graph.items.enumerated() { columns[item.column].append(number) }
    for column in columns.indices { stack(column) }
  }

  private mutating func run() -> Int {
    var best = (crossings: crossings(), columns: columns)
    let first = columns
    for start in 0..<2 {
      // The second start is the first one upside down, because sweeps from another start may find a better order.
      columns = start == 0 ? first : first.map { $0.reversed() }
      for column in columns.indices { stack(column) }
      for round in 0..<12 {
        sweep(toTheRight: round % 2 == 0)
        exchangeNeighbors()
        let crossings = crossings()
        if crossings < best.crossings { best = (crossings, columns) }
        if crossings == 0 { break }
      }
    }
    columns = best.columns
    return best.crossings
  }

  /// Stacks a column's items around the center line.
  private mutating func stack(_ column: Int) {
    let gap = ColumnAssignment.boxGap / 2
    var y = -columns[column].reduce(0) { $0 + graph.items[$1].height + gap } / 2
    for item in columns[column] {
      tops[item] = y
      y += graph.items[item].height + gap
    }
  }

  private mutating func sweep(toTheRight: Bool) {
    let order = toTheRight ? Array(columns.indices) : columns.indices.reversed()
    for column in order {
      let links = toTheRight ? leftLinks : rightLinks
      var keys: [Int: Double] = [:]
      for item in columns[column] {
        let middle = tops[item] + graph.items[item].height / 2
        guard !links[item].isEmpty else {
          keys[item] = middle
          continue
        }
        let sum = links[item].reduce(0) { $0 + tops[$1.other] + $1.otherY - $1.ownY }
        keys[item] = sum / Double(links[item].count) + graph.items[item].height / 2
      }
      // `sort` is not guaranteed to be stable, and equal keys must keep their order.
      let places = Dictionary(
        uniqueKeysWithValues: columns[column].enumerated().map { ($1, $0) })
      columns[column].sort {
        (keys[$0] ?? 0, places[$0] ?? 0) < (keys[$1] ?? 0, places[$1] ?? 0)
      }
      stack(column)
    }
  }

  private mutating func exchangeNeighbors() {
    for _ in 0..<4 {
      var hasChanged = false
      for column in columns.indices where columns[column].count > 1 {
        for place in 0..<(columns[column].count - 1) {
          let upper = columns[column][place]
          let lower = columns[column][place + 1]
          if saving(upper, lower) > 0 {
            columns[column].swapAt(place, place + 1)
            hasChanged = true
          }
        }
        stack(column)
      }
      if !hasChanged { return }
    }
  }

  /// Returns the number of crossings that swapping two neighbors avoids.
  private func saving(_ upper: Int, _ lower: Int) -> Int {
    saving(leftLinks[upper], leftLinks[lower]) + saving(rightLinks[upper], rightLinks[lower])
  }

  private func saving(_ upper: [Link], _ lower: [Link]) -> Int {
    if upper.isEmpty || lower.isEmpty { return 0 }
    // For cards with thousands of lines, sorting is faster than comparing all pairs.
    if upper.count * lower.count > 1_000 {
      return Inversions.excess(
        of: upper.map { tops[$0.other] + $0.otherY },
        over: lower.map { tops[$0.other] + $0.otherY })
    }
    var saved = 0
    for above in upper {
      let height = tops[above.other] + above.otherY
      for below in lower {
        let other = tops[below.other] + below.otherY
        if height > other { saved += 1 } else if height < other { saved -= 1 }
      }
    }
    return saved
  }

  /// Returns the number of pairs of strands that cross.
  private func crossings() -> Int {
    strandsByChannel.reduce(0) { sum, strands in
      let ends = strands.map { number in
        let strand = graph.strands[number]
        return (tops[strand.left] + strand.leftY, tops[strand.right] + strand.rightY)
      }
      // If the strands are sorted by their left ends, two of them cross exactly if their right ends are in the
      // wrong order.
      return sum + Inversions.count(ends.sorted { $0 < $1 }.map(\.1))
    }
  }
}

/// Counts the pairs of a list that are in the wrong order.
enum Inversions {
  /// Returns the number of pairs in which the value is greater than the other, minus those in which it is less.
  ///
  /// Cost: O(n log n).
  static func excess(of values: [Double], over others: [Double]) -> Int {
    let others = others.sorted()
    var excess = 0
    var less = 0
    var notGreater = 0
    for value in values.sorted() {
      while less < others.count, others[less] < value { less += 1 }
      while notGreater < others.count, others[notGreater] <= value { notGreater += 1 }
      excess += less - (others.count - notGreater)
    }
    return excess
  }

  /// Returns the number of pairs that are in the wrong order. Cost: O(n log n).
  static func count(_ values: [Double]) -> Int {
    var values = values
    var buffer = values
    return sort(&values, &buffer, 0, values.count)
  }

  private static func sort(
    _ values: inout [Double], _ buffer: inout [Double], _ start: Int, _ end: Int
  ) -> Int {
    guard end - start > 1 else { return 0 }
    let middle = (start + end) / 2
    var count = sort(&values, &buffer, start, middle) + sort(&values, &buffer, middle, end)
    var left = start
    var right = middle
    for place in start..<end {
      if right == end || (left < middle && values[left] <= values[right]) {
        buffer[place] = values[left]
        left += 1
      } else {
        buffer[place] = values[right]
        right += 1
        count += middle - left
      }
    }
    values.replaceSubrange(start..<end, with: buffer[start..<end])
    return count
  }
}
