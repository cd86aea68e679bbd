extension DiagramLayout {
  /// Lays out a diagram without external programs.
  ///
  /// The result is deterministic.
  ///
  /// Cost: less than a second for a model with 400 entities, even without compiler optimization.
  package static func builtIn(_ diagram: EntityDiagram) -> DiagramLayout {
    let graph = CardGraph(diagram, shapes: diagram.cards.map(CardShape.init))
    let parts = graph.components()
    return DiagramLayout(
      diagram, graph, parts, placed: parts.map { LayeredLayout.place($0.graph) })
  }

  /// Packs placed components into one picture, and arranges their cards and lines in the order of the diagram.
  init(
    _ diagram: EntityDiagram, _ graph: CardGraph, _ parts: [CardGraphComponent],
    placed: [PlacedComponent]
  ) {
    let places = ComponentPacking.places(
      of: placed.map { CardGraph.Size(width: $0.width, height: $0.height) })
    var cards = Array(
      repeating: Frame(x: 0, y: 0, width: 0, height: 0), count: graph.sizes.count)
    var routes = Array(repeating: Route(points: []), count: graph.edges.count)
    for ((part, component), place) in zip(zip(parts, placed), places) {
      for (card, frame) in zip(part.cards, component.cards) { cards[card] = frame.moved(by: place) }
      for (edge, route) in zip(part.edges, component.routes) {
        routes[edge] = route.moved(by: place)
      }
    }
    let relations = diagram.relations.enumerated().map { number, relation in
      relation.pointsBack ? routes[number].reversed : routes[number]
    }
    self.init(
      cards: cards, relations: relations,
      // In the graph, arrows lead from parent to child; they are drawn in the opposite direction.
      inheritances: routes.dropFirst(diagram.relations.count).map(\.reversed),
      width: zip(places, placed).map { $0.x + $1.width }.max() ?? 0,
      height: zip(places, placed).map { $0.y + $1.height }.max() ?? 0)
  }
}

extension DiagramLayout.Route {
  /// The same route, beginning at the other end.
  var reversed: Self { Self(points: points.reversed(), isCurved: isCurved) }
}
