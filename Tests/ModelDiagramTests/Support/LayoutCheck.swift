import Testing

@testable import ModelDiagram

/// The invariants of every layout.
struct LayoutCheck {
  let diagram: EntityDiagram
  let layout: DiagramLayout

  /// Descriptions of the violated invariants. Empty for a valid layout.
  var violations: [String] {
    overlaps + linesThroughCards + ends + outside
  }

  private var overlaps: [String] {
    var result: [String] = []
    for one in layout.cards.indices {
      for other in layout.cards.indices.dropFirst(one + 1)
      where layout.cards[one].inset(by: -4).overlaps(layout.cards[other]) {
        result.append("\(diagram.cards[one].name) and \(diagram.cards[other].name) overlap")
      }
    }
    return result
  }

  private var linesThroughCards: [String] {
    var result: [String] = []
    for (number, route) in (layout.relations + layout.inheritances).enumerated() {
      let points = Self.samples(route)
      for (start, end) in zip(points, points.dropFirst()) {
        for (card, frame) in layout.cards.enumerated()
        where Self.segment(start, end, enters: frame.inset(by: 1)) {
          result.append("line \(number) goes through \(diagram.cards[card].name)")
        }
      }
    }
    return result
  }

  /// Lines must start and end at the sides of their cards, at the height of their rows.
  private var ends: [String] {
    var result: [String] = []
    let shapes = diagram.cards.map(CardShape.init)
    func check(_ point: Point, _ card: Int, _ row: Int?, _ what: String) {
      let frame = layout.cards[card]
      let isAtSide = abs(point.x - frame.x) < 0.5 || abs(point.x - frame.right) < 0.5
      if !isAtSide { result.append("\(what) is not at a side of \(diagram.cards[card].name)") }
      if point.y < frame.y || point.y > frame.bottom {
        result.append("\(what) is beside \(diagram.cards[card].name)")
      }
      if let row, abs(point.y - frame.y - shapes[card].rows[row].middle) > 0.5 {
        result.append("\(what) is not at its row of \(diagram.cards[card].name)")
      }
    }
    for (number, (relation, route)) in zip(diagram.relations, layout.relations).enumerated() {
      check(route.start, relation.source.card, relation.source.row, "start \(number)")
      check(
        route.end, relation.target.card, relation.isOwnInverse ? nil : relation.target.row,
        "end \(number)")
    }
    for (number, (arrow, route)) in zip(diagram.inheritances, layout.inheritances).enumerated() {
      check(route.start, arrow.child, nil, "child \(number)")
      check(route.end, arrow.parent, nil, "parent \(number)")
    }
    return result
  }

  private var outside: [String] {
    let points = (layout.relations + layout.inheritances).flatMap(\.points)
    let corners =
      points + layout.cards.flatMap { [Point($0.x, $0.y), Point($0.right, $0.bottom)] }
    let isInside = corners.allSatisfy {
      $0.x >= -0.5 && $0.y >= -0.5 && $0.x <= layout.width + 0.5 && $0.y <= layout.height + 0.5
    }
    return isInside ? [] : ["something is outside the picture"]
  }

  /// Returns the corners of a line, or points on a curved line.
  static func samples(_ route: DiagramLayout.Route) -> [Point] {
    guard route.isCurved, let first = route.points.first else { return route.points }
    var result = [first]
    for place in stride(from: 1, to: route.points.count - 2, by: 3) {
      let start = result[result.count - 1]
      let (one, two, end) = (
        route.points[place], route.points[place + 1], route.points[place + 2]
      )
      for step in 1...16 {
        let t = Double(step) / 16
        let s = 1 - t
        func mix(_ coordinate: (Point) -> Double) -> Double {
          let outer = s * s * s * coordinate(start) + t * t * t * coordinate(end)
          return outer + 3 * s * s * t * coordinate(one) + 3 * s * t * t * coordinate(two)
        }
        result.append(Point(mix(\.x), mix(\.y)))
      }
    }
    return result
  }

  /// Returns whether a segment has a point inside a rectangle (Liang-Barsky clipping).
  static func segment(_ start: Point, _ end: Point, enters frame: Frame) -> Bool {
    var first = 0.0
    var last = 1.0
    let dx = end.x - start.x
    let dy = end.y - start.y
    let bounds = [
      (-dx, start.x - frame.x), (dx, frame.right - start.x),
      (-dy, start.y - frame.y), (dy, frame.bottom - start.y),
    ]
    for (direction, distance) in bounds {
      if direction == 0 {
        if distance <= 0 { return false }
      } else if direction < 0 {
        first = max(first, distance / direction)
      } else {
        last = min(last, distance / direction)
      }
    }
    return first < last
  }
}

extension Frame {
  /// Returns whether two rectangles have more than an edge in common.
  func overlaps(_ other: Frame) -> Bool {
    x < other.right && other.x < right && y < other.bottom && other.y < bottom
  }

  /// Returns the rectangle without a margin on each side; a negative margin enlarges it.
  fileprivate func inset(by margin: Double) -> Frame {
    Frame(x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin)
  }
}
