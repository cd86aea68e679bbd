/// The output of `dot -Tplain` for one graph: the centers of the nodes and the curves of the edges, in
/// inches from the lower left corner.
struct GraphvizOutput {
  /// The height of the drawing.
  var height = 0.0
  /// The centers of the nodes, by name.
  var nodes: [String: Point] = [:]
  /// The control points of the edges, by color. Each edge has its own color, because the output contains no names of
  /// edges.
  var edges: [String: [Point]] = [:]

  /// Returns the graphs of an output, in order.
  ///
  /// - Throws: ``GraphvizError/unreadable`` if the output does not consist of complete graphs.
  static func graphs(in text: String) throws -> [GraphvizOutput] {
    var result: [GraphvizOutput] = []
    var current: GraphvizOutput?
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      switch words.first {
      case "graph":
        guard words.count >= 4, let height = Double(words[3]) else {
          throw GraphvizError.unreadable
        }
        current = GraphvizOutput(height: height)
      case "node":
        guard words.count >= 4, let x = Double(words[2]), let y = Double(words[3]) else {
          throw GraphvizError.unreadable
        }
        current?.nodes[String(words[1])] = Point(x, y)
      case "edge":
        try current?.addEdge(words)
      // Incomplete output lacks this line, so its last graph is missing or still open.
      case "stop":
        if let current { result.append(current) }
        current = nil
      default:
        continue
      }
    }
    guard current == nil else { throw GraphvizError.unreadable }
    return result
  }

  private mutating func addEdge(_ words: [Substring]) throws {
    guard words.count > 3, let count = Int(words[3]), count >= 0, words.count >= 4 + 2 * count
    else { throw GraphvizError.unreadable }
    let numbers = words[4..<(4 + 2 * count)].compactMap { Double($0) }
    guard numbers.count == 2 * count, let color = words.last else {
      throw GraphvizError.unreadable
    }
    edges[String(color)] = (0..<count).map { Point(numbers[2 * $0], numbers[2 * $0 + 1]) }
  }
}
