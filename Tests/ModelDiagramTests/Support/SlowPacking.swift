@testable import ModelDiagram

/// Packs rectangles like ``ComponentPacking``, but searches the whole skyline for each position. A
/// reference for the faster algorithm.
enum SlowPacking {
  private struct Step {
    var x: Double
    var y: Double
    var width: Double
  }

  static func places(of sizes: [CardGraph.Size]) -> [Point] {
    let gap = ComponentPacking.gap
    let order = sizes.indices.sorted {
      (-sizes[$0].height, -sizes[$0].width, $0) < (-sizes[$1].height, -sizes[$1].width, $1)
    }
    let area = sizes.reduce(0) { $0 + ($1.width + gap) * ($1.height + gap) }
    let widest = (sizes.map(\.width).max() ?? 0) + gap
    let ideal = (area * ColumnAssignment.aspect).squareRoot()
    var best: (score: Double, places: [Point])?
    for factor in [0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5] {
      let places = pack(sizes, order: order, into: max(widest, ideal * factor))
      let width = zip(places, sizes).map { $0.x + $1.width }.max() ?? 0
      let height = zip(places, sizes).map { $0.y + $1.height }.max() ?? 0
      let aspect = max(width, 1) / max(height, 1) / ColumnAssignment.aspect
      let score = width * height * max(aspect, 1 / aspect).squareRoot()
      if best.map({ score < $0.score }) ?? true { best = (score, places) }
    }
    return best?.places ?? []
  }

  private static func pack(
    _ sizes: [CardGraph.Size], order: [Int], into width: Double
  ) -> [Point] {
    var skyline = [Step(x: 0, y: 0, width: width)]
    var places = Array(repeating: Point(0, 0), count: sizes.count)
    for number in order {
      let size = CardGraph.Size(
        width: sizes[number].width + ComponentPacking.gap,
        height: sizes[number].height + ComponentPacking.gap)
      var best = Point(0, .infinity)
      for step in skyline where step.x + size.width <= width + 0.01 {
        let right = step.x + size.width
        let below = skyline.filter { $0.x < right - 0.01 && $0.x + $0.width > step.x + 0.01 }
        let y = below.map(\.y).max() ?? 0
        if y < best.y - 0.01 { best = Point(step.x, y) }
      }
      places[number] = best
      skyline = raise(
        skyline, from: best.x, to: best.x + size.width, height: best.y + size.height)
    }
    return places
  }

  private static func raise(
    _ skyline: [Step], from left: Double, to right: Double, height: Double
  ) -> [Step] {
    var result: [Step] = []
    for step in skyline {
      let end = step.x + step.width
      if step.x < left - 0.01 {
        result.append(Step(x: step.x, y: step.y, width: min(end, left) - step.x))
      }
      if end > right + 0.01 {
        let start = max(step.x, right)
        result.append(Step(x: start, y: step.y, width: end - start))
      }
    }
    result.append(Step(x: left, y: height, width: right - left))
    return result.sorted { $0.x < $1.x }
  }
}
