/// Leads the lines through the space between two columns: each goes level to a track, along the track
/// up or down, and level to its end.
///
/// Lines that would lie on each other get tracks beside one another, in an order that lets few of
/// them cross.
struct ChannelRouting {
  /// The distance between two tracks.
  static let trackDistance = 10.0
  /// The free space at each side, where the feet of the lines stand.
  static let margin = 34.0
  static let leastWidth = 84.0
  /// Level pieces closer to each other than this look like one line.
  private static let nearness = 5.0
  /// The free space on a track between two lines.
  private static let clearance = 22.0

  /// The ends of a net at both sides.
  struct Wire {
    var net: ColumnGraph.Net
    var left: [Double] = []
    var right: [Double] = []
    var isBracket = false

    /// The highest and the lowest of the ends, in a wire that is ``measured()``.
    var top = Double.infinity
    var bottom = -Double.infinity
    /// Whether the line goes straight through and wants no track.
    var isLevel: Bool { !isBracket && bottom - top < 0.5 }

    /// The wire with its top and bottom: they are asked for more often than it has ends.
    func measured() -> Wire {
      var wire = self
      wire.top = min(left.min() ?? .infinity, right.min() ?? .infinity)
      wire.bottom = max(left.max() ?? -.infinity, right.max() ?? -.infinity)
      return wire
    }
  }

  /// The width of the channel.
  private(set) var width: Double
  /// The distance of each net's track from the channel's left edge.
  private(set) var trackByNet: [ColumnGraph.Net: Double] = [:]

  init(_ wires: [Wire], isOutermost: Bool) {
    let wires = Self.ordered(wires.map { $0.measured() }.filter { !$0.isLevel })
    let levels = Self.levels(of: wires)
    let breadth = Double(levels.max() ?? 0) * Self.trackDistance
    if isOutermost {
      // Beside the last column there are brackets only.
      width = wires.isEmpty ? 0 : Self.margin + breadth
      for (wire, level) in zip(wires, levels) {
        trackByNet[wire.net] = Self.margin + Double(level) * Self.trackDistance
      }
      return
    }
    width = max(Self.leastWidth, breadth + 2 * Self.margin)
    let first = (width - breadth) / 2
    for (wire, level) in zip(wires, levels) {
      trackByNet[wire.net] = first + Double(level) * Self.trackDistance
    }
  }

  /// The number of each wire's track: one more than the greatest of those before it that want another track.
  static func levels(of wires: [Wire]) -> [Int] {
    var levels: [Int] = []
    // Wires of one level touch none of each other, so they stand one below the other, in this order here.
    var byLevel: [[Wire]] = []
    for wire in wires {
      let touched = byLevel.indices.reversed().first { level in
        let place = Self.place(of: wire, among: byLevel[level])
        return place < byLevel[level].count && touch(byLevel[level][place], wire)
      }
      let level = touched.map { $0 + 1 } ?? 0
      if level == byLevel.count { byLevel.append([]) }
      byLevel[level].insert(wire, at: Self.place(of: wire, among: byLevel[level]))
      levels.append(level)
    }
    return levels
  }

  /// The place of the first wire that does not end above another one.
  private static func place(of wire: Wire, among others: [Wire]) -> Int {
    var (start, end) = (0, others.count)
    while start < end {
      let middle = (start + end) / 2
      if others[middle].bottom > wire.top - clearance { end = middle } else { start = middle + 1 }
    }
    return start
  }

  /// Whether two wires want different tracks: they overlap, or one would seem to go on in the other.
  private static func touch(_ one: Wire, _ other: Wire) -> Bool {
    one.top - clearance < other.bottom && other.top - clearance < one.bottom
  }

  /// The wires from left to right.
  private static func ordered(_ wires: [Wire]) -> [Wire] {
    var result = wires.sorted { one, other in
      (one.top, one.bottom) == (other.top, other.bottom)
        ? ColumnGraph.Net.precedes(one.net, other.net)
        : (one.top, one.bottom) < (other.top, other.bottom)
    }
    // Insertion and exchange of neighbours: there are rarely fifty. Of thousands the picture is a thicket in any
    // order, and they get fewer passes than a square would take.
    for _ in 0..<max(min(result.count, 1_000_000 / max(result.count, 1)), 1) {
      var hasChanged = false
      for place in result.indices.dropFirst() {
        let left = result[place - 1]
        let right = result[place]
        if cost(right, left) < cost(left, right) {
          result.swapAt(place - 1, place)
          hasChanged = true
        }
      }
      if !hasChanged { break }
    }
    return result
  }

  /// How bad it is when the track of one wire is left of another's: crossings, and many times worse,
  /// level pieces that lie on each other.
  private static func cost(_ left: Wire, _ right: Wire) -> Int {
    var cost = 0
    for y in left.right where y > right.top && y < right.bottom { cost += 1 }
    for y in right.left where y > left.top && y < left.bottom { cost += 1 }
    return cost + 20 * overlaps(left, right)
  }

  /// Level pieces that share some of their way when `left` is left of `right`: those of the right
  /// wire from the left edge to its track, and those of the left wire from its track to the right
  /// edge, at about the same height.
  private static func overlaps(_ left: Wire, _ right: Wire) -> Int {
    var count = 0
    for y in left.right { for other in right.left where abs(y - other) < nearness { count += 1 } }
    return count
  }
}
