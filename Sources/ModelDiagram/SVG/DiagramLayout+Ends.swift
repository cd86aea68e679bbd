extension DiagramLayout.Route {
  /// The start of the route.
  var start: Point { points.first ?? Point(0, 0) }
  /// The end of the route.
  var end: Point { points.last ?? Point(0, 0) }
  /// The direction at the start, as a unit vector.
  var startDirection: Point { start.direction(to: points.dropFirst()) }
  /// The direction from the end back along the route, as a unit vector.
  var endDirection: Point { end.direction(to: points.dropLast().reversed()) }
}

extension Point {
  /// Returns the direction to the first point that differs from this one, or to the right if there is none.
  func direction(to others: some Sequence<Point>) -> Point {
    for other in others {
      let length = distance(to: other)
      // Points that are closer together than this count as the same point.
      if length > 0.01 { return Point((other.x - x) / length, (other.y - y) / length) }
    }
    return Point(1, 0)
  }

  func distance(to other: Point) -> Double {
    ((other.x - x) * (other.x - x) + (other.y - y) * (other.y - y)).squareRoot()
  }

  /// Returns the point at a distance in a direction.
  func along(_ direction: Point, _ length: Double) -> Point {
    Point(x + direction.x * length, y + direction.y * length)
  }

  /// Returns the point at a distance to the left of a direction.
  func beside(_ direction: Point, _ length: Double) -> Point {
    Point(x + direction.y * length, y - direction.x * length)
  }

  /// Returns the point at a distance on the way to another.
  func toward(_ other: Point, _ length: Double) -> Point {
    along(direction(to: CollectionOfOne(other)), length)
  }
}
