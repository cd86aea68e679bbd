/// Routes lines through a channel, the space between two columns. Each line goes horizontally to a track, vertically
/// along the track, and horizontally to its end.
///
/// Lines that would overlap get adjacent tracks, in an order that avoids most crossings.
struct ChannelRouting {
  /// The distance between two tracks.
  static let trackDistance = 10.0
  /// The free space at each side, with room for the crow's feet of the lines.
  static let margin = 34.0
  static let leastWidth = 84.0
  /// The distance below which horizontal segments look like one line.
  private static let nearness = 5.0
  /// The free space between two lines on the same track.
  private static let clearance = 22.0

  /// The part of a net in the channel, with the heights of its ends on the left and right sides.
  struct Wire {
    var net: ColumnGraph.Net
    var left: [Double] = []
    var right: [Double] = []
    /// Whether all ends are on the left side.
    var isBracket = false

    /// The highest and lowest ends; set by ``measured()``.
    var top = Double.infinity
    var bottom = -Double.infinity
    /// Whether the line is straight and needs no track.
    var isLevel: Bool { !isBracket && bottom - top < 0.5 }

    /// Returns the wire with its top and bottom, which are computed once because they are used often.
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
      // Beside the last column there are only brackets.
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

  /// Returns the number of each wire's track: one more than the greatest number of the preceding wires that cannot
  /// share its track; 0 if there are none.
  static func levels(of wires: [Wire]) -> [Int] {
    var levels: [Int] = []
    // Wires on the same track do not touch, so they are sorted from top to bottom.
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

  /// Returns the index of the first of the other wires that does not end above a wire.
  private static func place(of wire: Wire, among others: [Wire]) -> Int {
    var (start, end) = (0, others.count)
    while start < end {
      let middle = (start + end) / 2
      if others[middle].bottom > wire.top - clearance { end = middle } else { start = middle + 1 }
    }
    return start
  }

  /// Returns whether two wires need different tracks, because they overlap or would look like one line.
  private static func touch(_ one: Wire, _ other: Wire) -> Bool {
    one.top - clearance < other.bottom && other.top - clearance < one.bottom
  }

  /// Returns the wires from left to right.
  private static func ordered(_ wires: [Wire]) -> [Wire] {
    var result = wires.sorted { one, other in
      (one.top, one.bottom) == (other.top, other.bottom)
        ? ColumnGraph.Net.precedes(one.net, other.net)
        : (one.top, one.bottom) < (other.top, other.bottom)
    }
    // Swapping neighbors is fast enough, because a channel rarely has as many as fifty wires. Thousands of wires look
    // tangled in any order, so they get fewer passes, which avoids quadratic time.
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

  /// Returns the cost of a wire's track being left of another's: the number of crossings, and a much higher cost
  /// for overlapping horizontal segments.
  private static func cost(_ left: Wire, _ right: Wire) -> Int {
    var cost = 0
    for y in left.right where y > right.top && y < right.bottom { cost += 1 }
    for y in right.left where y > left.top && y < left.bottom { cost += 1 }
    // Two lines that look like one mislead the reader, while a crossing only costs attention.
    return cost + 20 * overlaps(left, right)
  }

  /// Returns the number of overlapping horizontal segments if `left` is left of `right`: segments of the right
  /// wire from the left edge to its track, and of the left wire from its track to the right
  /// edge, at about the same height.
  private static func overlaps(_ left: Wire, _ right: Wire) -> Int {
    var count = 0
    for y in left.right { for other in right.left where abs(y - other) < nearness { count += 1 } }
    return count
  }
}
