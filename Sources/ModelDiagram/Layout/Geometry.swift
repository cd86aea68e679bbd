/// A place in a picture, in points from its upper left corner.
package struct Point: Hashable, Sendable {
  /// The distance from the left edge.
  package var x: Double
  /// The distance from the upper edge.
  package var y: Double

  /// A place.
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
  /// How wide it is.
  package var width: Double
  /// How high it is.
  package var height: Double

  /// A rectangle.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The right edge.
  package var right: Double { x + width }
  /// The lower edge.
  package var bottom: Double { y + height }

  /// Whether two rectangles have more than an edge in common.
  package func overlaps(_ other: Frame) -> Bool {
    x < other.right && other.x < right && y < other.bottom && other.y < bottom
  }

  /// The rectangle without a margin at each side.
  package func inset(by margin: Double) -> Frame {
    Frame(x: x + margin, y: y + margin, width: width - 2 * margin, height: height - 2 * margin)
  }

  func moved(by offset: Point) -> Frame {
    Frame(x: x + offset.x, y: y + offset.y, width: width, height: height)
  }
}

extension Point {
  func moved(by offset: Point) -> Point { Point(x + offset.x, y + offset.y) }
}
