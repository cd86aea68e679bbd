extension GraphvizPlan {
  private static let pointsPerInch = 72.0

  /// Returns the component as placed by `dot`.
  ///
  /// - Throws: ``GraphvizError/unreadable`` if a card is missing in the output.
  func placed(_ output: GraphvizOutput) throws -> PlacedComponent {
    var cards: [Frame] = []
    for (card, size) in sizes.enumerated() {
      guard let middle = output.nodes["n\(card)"] else { throw GraphvizError.unreadable }
      let center = point(middle, output)
      // The width of the table in `GraphvizPlan.text`, which includes the free space on both sides.
      let whole = Self.stub.rounded(.down) + size.width + rightMargin(card).rounded(.down)
      cards.append(
        Frame(
          x: center.x - whole / 2 + Self.stub, y: center.y - size.height / 2, width: size.width,
          height: size.height))
    }
    let curves = Dictionary(
      output.edges.compactMap { color, points in
        Self.number(ofColor: color).map { ($0, points.map { point($0, output) }) }
      }, uniquingKeysWith: { first, _ in first })
    var loopCounts = Array(repeating: 0, count: sizes.count)
    let routes = graph.edges.enumerated().map { number, edge in
      if edge.isLoop {
        loopCounts[edge.tail.card] += 1
        return loop(edge, cards[edge.tail.card], number: loopCounts[edge.tail.card])
      }
      return route(edge, curve: curves[number] ?? [], cards)
    }
    return shifted(cards, routes)
  }

  private func point(_ point: Point, _ output: GraphvizOutput) -> Point {
    Point(point.x * Self.pointsPerInch, (output.height - point.y) * Self.pointsPerInch)
  }

  private func loop(
    _ edge: CardGraph.Edge, _ frame: Frame, number: Int
  ) -> DiagramLayout.Route {
    let x = frame.right + Self.stub + Double(number - 1) * Self.loopDistance
    let start = frame.y + edge.tail.y
    let end = frame.y + edge.head.y
    return DiagramLayout.Route(
      points: [
        Point(frame.right, start), Point(x, start), Point(x, end), Point(frame.right, end),
      ])
  }

  /// Returns the route of a line from tail to head: `dot`'s curve between two straight segments that cross the
  /// free space beside the cards.
  private func route(
    _ edge: CardGraph.Edge, curve: [Point], _ cards: [Frame]
  ) -> DiagramLayout.Route {
    let isBackward = isBackward(edge)
    let left = isBackward ? edge.head : edge.tail
    let right = isBackward ? edge.tail : edge.head
    let isBracket = columns[left.card] == columns[right.card]
    let start = Point(cards[left.card].right, cards[left.card].y + left.y)
    let rightX = isBracket ? cards[right.card].right : cards[right.card].x
    let end = Point(rightX, cards[right.card].y + right.y)
    let startOfCurve = Point(start.x + rightMargin(left.card), start.y)
    let endOfCurve = Point(
      isBracket ? end.x + rightMargin(right.card) : end.x - Self.stub, end.y)
    var middle = curve
    // `dot` sometimes drops a curve with the message "lost edge". Replace it with a straight line.
    if middle.count < 4 || middle.count % 3 != 1 {
      middle = [startOfCurve, startOfCurve, endOfCurve, endOfCurve]
    } else if middle[0].distance(to: startOfCurve) > middle[0].distance(to: endOfCurve) {
      middle.reverse()
    }
    // Move the neighboring control points along with the ends, so that the curve stays smooth.
    let first = middle[0]
    let last = middle[middle.count - 1]
    middle[1].y += startOfCurve.y - first.y
    middle[middle.count - 2].y += endOfCurve.y - last.y
    middle[0] = startOfCurve
    middle[middle.count - 1] = endOfCurve
    let points =
      [start, start.toward(startOfCurve, 1), startOfCurve.toward(start, 1)] + middle
      + [endOfCurve.toward(end, 1), end.toward(endOfCurve, 1), end]
    let route = DiagramLayout.Route(points: points, isCurved: true)
    return isBackward ? route.reversed : route
  }

  /// Moves cards and routes so that the upper left corner of their area is at zero.
  private func shifted(_ cards: [Frame], _ routes: [DiagramLayout.Route]) -> PlacedComponent {
    // Control points may lie outside the curve, so the area may be too large, but never too small.
    let points = routes.flatMap(\.points)
    let left = min(cards.map(\.x).min() ?? 0, points.map(\.x).min() ?? .infinity)
    let top = min(cards.map(\.y).min() ?? 0, points.map(\.y).min() ?? .infinity)
    let right = max(cards.map(\.right).max() ?? 0, points.map(\.x).max() ?? 0)
    let bottom = max(cards.map(\.bottom).max() ?? 0, points.map(\.y).max() ?? 0)
    let offset = Point(-left, -top)
    return PlacedComponent(
      cards: cards.map { $0.moved(by: offset) }, routes: routes.map { $0.moved(by: offset) },
      width: right - left, height: bottom - top)
  }
}
