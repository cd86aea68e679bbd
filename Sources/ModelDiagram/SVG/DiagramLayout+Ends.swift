extension DiagramLayout.Route {
  /// Where the way begins.
  var start: Point { points.first ?? Point(0, 0) }
  /// Where it ends.
  var end: Point { points.last ?? Point(0, 0) }
  /// The direction in which it leaves its start, of length 1.
  var startDirection: Point { start.direction(to: points.dropFirst()) }
  /// The direction that leads back from its end, of length 1.
  var endDirection: Point { end.direction(to: points.dropLast().reversed()) }
}

extension Point {
  /// The direction to the first of some points that is not this one.
  func direction(to others: some Sequence<Point>) -> Point {
    for other in others {
      let length = distance(to: other)
      if length > 0.01 { return Point((other.x - x) / length, (other.y - y) / length) }
    }
    return Point(1, 0)
  }

  func distance(to other: Point) -> Double {
    ((other.x - x) * (other.x - x) + (other.y - y) * (other.y - y)).squareRoot()
  }

  /// The point so far from this one in a direction.
  func along(_ direction: Point, _ length: Double) -> Point {
    Point(x + direction.x * length, y + direction.y * length)
  }

  /// The point so far to the left of a direction.
  func beside(_ direction: Point, _ length: Double) -> Point {
    Point(x + direction.y * length, y - direction.x * length)
  }

  /// The point so far on the way to another.
  func towards(_ other: Point, _ length: Double) -> Point {
    along(direction(to: CollectionOfOne(other)), length)
  }
}
