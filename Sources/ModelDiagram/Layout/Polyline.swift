/// Operations on lines of straight segments.
enum Polyline {
  /// Removes repeated points, and the inner points of horizontal and vertical runs.
  static func simplified(_ points: [Point]) -> [Point] {
    var result: [Point] = []
    for point in points {
      if let last = result.last, abs(last.x - point.x) < 0.01, abs(last.y - point.y) < 0.01 {
        continue
      }
      if result.count > 1 {
        let before = result[result.count - 2]
        let last = result[result.count - 1]
        let isLevel = abs(before.y - last.y) < 0.01 && abs(last.y - point.y) < 0.01
        let isUpright = abs(before.x - last.x) < 0.01 && abs(last.x - point.x) < 0.01
        if isLevel || isUpright { result.removeLast() }
      }
      result.append(point)
    }
    return result
  }
}
