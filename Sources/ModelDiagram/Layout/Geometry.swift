/// A position in a picture, in points from its upper left corner.
package struct Point: Hashable, Sendable {
  /// The distance from the left edge.
  package var x: Double
  /// The distance from the upper edge.
  package var y: Double

  /// Creates a position.
  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

/// A rectangle in a picture.
package struct Frame: Hashable, Sendable {
  /// The left edge.
  package var x: Double
  /// The upper edge.
  package var y: Double
  /// The width.
  package var width: Double
  /// The height.
  package var height: Double

  /// The right edge.
  package var right: Double { x + width }
  /// The lower edge.
  package var bottom: Double { y + height }

  func moved(by offset: Point) -> Frame {
    Frame(x: x + offset.x, y: y + offset.y, width: width, height: height)
  }
}

extension Point {
  func moved(by offset: Point) -> Point { Point(x + offset.x, y + offset.y) }
}
