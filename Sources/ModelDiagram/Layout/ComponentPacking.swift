/// Packs rectangles into a compact, well-proportioned area.
///
/// The rectangles are the connected components of a diagram, each with its own layout.
///
/// The skyline is the lower outline of the rectangles that are already placed; y grows downward. Beginning with the
/// tallest, each rectangle is placed below the skyline at the smallest y, then the smallest x. Several widths are
/// tried; the best result is small and close to the desired proportions.
struct ComponentPacking {
  /// The free space between rectangles.
  static let gap = 36.0

  /// Returns the upper left corner of each rectangle.
  static func places(of sizes: [CardGraph.Size]) -> [Point] {
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
        width: sizes[number].width + gap, height: sizes[number].height + gap)
      let best = lowest(of: size.width, on: skyline, into: width)
      places[number] = best.place
      raise(&skyline, at: best.step, by: size, to: best.place.y + size.height)
    }
    return places
  }

  /// Returns the position with the smallest y, then the smallest x, for a rectangle of a width, and the first step of
  /// the skyline above it.
  ///
  /// The rectangle touches the step with the largest y of those above it, which is the maximum of a sliding window.
  /// Cost: proportional to the number of steps.
  private static func lowest(
    of size: Double, on skyline: [Step], into width: Double
  ) -> (place: Point, step: Int) {
    var best = (place: Point(0, .infinity), step: 0)
    // The steps of the window whose y is larger than the y of all later steps in it, and so in descending order of y.
    var highest: [Int] = []
    var first = 0
    var next = 0
    for (number, step) in skyline.enumerated() {
      let right = step.x + size
      // Sums of widths are not exact, so comparisons tolerate a small difference.
      guard right <= width + 0.01 else { break }
      while next < skyline.count, skyline[next].x < right - 0.01 {
        while highest.count > first, let last = highest.last, skyline[last].y <= skyline[next].y {
          highest.removeLast()
        }
        highest.append(next)
        next += 1
      }
      while first < highest.count, highest[first] < number { first += 1 }
      let y = first < highest.count ? skyline[highest[first]].y : 0
      if y < best.place.y - 0.01 { best = (Point(step.x, y), number) }
    }
    if best.place.y == .infinity { best.place.y = skyline.map(\.y).max() ?? 0 }
    return best
  }

  private struct Step {
    var x: Double
    var y: Double
    var width: Double
  }

  /// Adds a rectangle to the skyline at a step. It replaces the steps above it, the last of them perhaps only in part.
  private static func raise(
    _ skyline: inout [Step], at first: Int, by size: CardGraph.Size, to height: Double
  ) {
    let left = skyline[first].x
    let right = left + size.width
    var changed = [Step(x: left, y: height, width: right - left)]
    var end = first
    while end < skyline.count {
      let step = skyline[end]
      let stepEnd = step.x + step.width
      if stepEnd > right + 0.01 {
        guard step.x < right else { break }
        changed.append(Step(x: right, y: step.y, width: stepEnd - right))
        end += 1
        break
      }
      end += 1
    }
    skyline.replaceSubrange(first..<end, with: changed)
  }
}
