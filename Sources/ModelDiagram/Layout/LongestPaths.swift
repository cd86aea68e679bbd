/// The column of each box, determined by the longest path that leads to it. Lines that would close a cycle are ignored.
enum LongestPaths {
  static func columns(of graph: CardGraph) -> [Int] {
    let count = graph.sizes.count
    var outgoing: [[Int]] = Array(repeating: [], count: count)
    // Inheritance comes first, so that a cycle is preferably broken at another kind of line.
    let edges = graph.edges.filter(\.isInheritance) + graph.edges.filter { !$0.isInheritance }
    for edge in edges where !edge.isLoop { outgoing[edge.tail.card].append(edge.head.card) }
    let finished = depthFirst(outgoing, starts: starts(outgoing))
    var rank = Array(repeating: 0, count: count)
    for (place, card) in finished.reversed().enumerated() { rank[card] = place }
    var columns = Array(repeating: 0, count: count)
    for card in finished.reversed() {
      // A line to a lower rank closes a cycle.
      for next in outgoing[card] where rank[next] > rank[card] {
        columns[next] = max(columns[next], columns[card] + 1)
      }
    }
    return columns
  }

  /// Returns the boxes with the fewest incoming lines first; among equals, those with the most outgoing lines first.
  private static func starts(_ outgoing: [[Int]]) -> [Int] {
    var incoming = Array(repeating: 0, count: outgoing.count)
    for targets in outgoing { for target in targets { incoming[target] += 1 } }
    return outgoing.indices.sorted {
      let left = (incoming[$0], -outgoing[$0].count, $0)
      let right = (incoming[$1], -outgoing[$1].count, $1)
      return left < right
    }
  }

  /// Returns the boxes in the order in which a depth-first walk leaves them. Avoids recursion, because an
  /// inheritance chain may be long.
  private static func depthFirst(_ outgoing: [[Int]], starts: [Int]) -> [Int] {
    var finished: [Int] = []
    var isVisited = Array(repeating: false, count: outgoing.count)
    for start in starts where !isVisited[start] {
      var stack = [(card: start, next: 0)]
      isVisited[start] = true
      while let (card, next) = stack.last {
        if next < outgoing[card].count {
          stack[stack.count - 1].next += 1
          let target = outgoing[card][next]
          if !isVisited[target] {
            isVisited[target] = true
            stack.append((target, 0))
          }
        } else {
          finished.append(card)
          stack.removeLast()
        }
      }
    }
    return finished
  }
}
