import ObjectModel

/// Writes lines as SVG: their routes, and the crow's feet at their ends.
struct SVGLine {
  /// Returns a relation with crow's feet at its ends.
  static func relation(
    _ relation: RelationLine, _ route: DiagramLayout.Route, cards: [EntityCard], id: String
  ) -> String {
    var result = "<g id=\"\(XMLText.escaped(id))\" class=\"line relation\">"
    result += "<title>\(XMLText.escaped(relation.explanation(cards)))</title>"
    result += "<path d=\"\(path(route))\"/>"
    // The cardinality of a relationship is drawn at its far end.
    result += foot(route.start, route.startDirection, relation.target.leadsTo)
    let there = relation.isOwnInverse ? nil : relation.source.leadsTo
    result += foot(route.end, route.endDirection, there)
    return result + "</g>"
  }

  /// Returns an arrow from child to parent with a hollow head.
  static func inheritance(_ route: DiagramLayout.Route, title: String, id: String) -> String {
    var result = "<g id=\"\(XMLText.escaped(id))\" class=\"line inheritance\">"
    result += "<title>\(XMLText.escaped(title))</title><path d=\"\(path(route))\"/>"
    let tip = route.end
    let direction = route.endDirection
    let base = tip.along(direction, 12)
    result +=
      "<path class=\"open\" d=\"M\(NumberText.of(tip))"
      + "L\(NumberText.of(base.beside(direction, 6.5)))"
      + "L\(NumberText.of(base.beside(direction, -6.5)))z\"/>"
    return result + "</g>"
  }

  /// Returns the symbol at an end. Nearest to the card is the maximum (a bar for one, three toes for many), then
  /// the minimum (a bar for one, a ring for none). An end without a cardinality gets a dot.
  private static func foot(
    _ point: Point, _ direction: Point, _ counts: RelationLine.Cardinality?
  ) -> String {
    guard let counts else {
      return circle(point.along(direction, 3), radius: 2.2)
    }
    var result = "<path d=\""
    var minimumPlace = 10.0
    if counts.includesMany {
      let knot = point.along(direction, 11)
      result += "M\(NumberText.of(point.beside(direction, 5.5)))L\(NumberText.of(knot))"
      result += "L\(NumberText.of(point.beside(direction, -5.5)))"
      minimumPlace = 14
    } else {
      result += bar(point.along(direction, 6), direction)
    }
    if counts.includesNone {
      return result + "\"/>" + circle(point.along(direction, minimumPlace + 3), radius: 3.4)
    }
    return result + bar(point.along(direction, minimumPlace), direction) + "\"/>"
  }

  private static func bar(_ point: Point, _ direction: Point) -> String {
    "M\(NumberText.of(point.beside(direction, 5)))L\(NumberText.of(point.beside(direction, -5)))"
  }

  private static func circle(_ center: Point, radius: Double) -> String {
    let r = NumberText.of(radius)
    let d = NumberText.of(2 * radius)
    return "<path class=\"open\" d=\"M\(NumberText.of(center))m-\(r),0"
      + "a\(r),\(r) 0 1 0 \(d),0a\(r),\(r) 0 1 0 -\(d),0z\"/>"
  }

  /// Returns the route as path data, with rounded corners between straight segments.
  static func path(_ route: DiagramLayout.Route) -> String {
    guard let first = route.points.first else { return "" }
    var result = "M\(NumberText.of(first))"
    if route.isCurved {
      // Each curve has three points: two control points and its end.
      for place in stride(from: 1, to: route.points.count - 2, by: 3) {
        let piece = route.points[place...(place + 2)].map { NumberText.of($0) }
        result += "C\(piece.joined(separator: " "))"
      }
      return result
    }
    for place in route.points.indices.dropFirst() {
      let corner = route.points[place]
      guard place + 1 < route.points.count else {
        result += "L\(NumberText.of(corner))"
        break
      }
      let before = route.points[place - 1]
      let after = route.points[place + 1]
      // The radius is at most half of a segment, so that the curves at both ends of the segment fit.
      let radius = min(8, before.distance(to: corner) / 2, corner.distance(to: after) / 2)
      result += "L\(NumberText.of(corner.toward(before, radius)))"
      result += "Q\(NumberText.of(corner)) \(NumberText.of(corner.toward(after, radius)))"
    }
    return result
  }
}
