extension EntityDiagram {
  /// Returns the diagram as a self-contained SVG document for light and dark backgrounds.
  ///
  /// The result is deterministic. Cards and lines have identifiers, so that a program that shows the picture can find
  /// them: `entity-` and the entity's name for a card, `relation-` and the names of the entity and the relationship
  /// for a relationship's line, and `inheritance-` and the subentity's name for the line to its parent.
  package func svg(_ layout: DiagramLayout) -> String {
    let margin = 32.0
    let titleHeight = title.isEmpty ? 0 : 40.0
    // Below a small diagram, the legend would otherwise be many short lines.
    let legend = SVGLegend(self, width: max(layout.width, 300))
    let width = max(layout.width, legend.width, titleWidth) + 2 * margin
    let height = layout.height + 2 * margin + titleHeight + legend.height
    let offset = Point(margin, margin + titleHeight)
    let size = "width=\"\(NumberText.of(width))\" height=\"\(NumberText.of(height))\""
    var lines = [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) "
        + "viewBox=\"0 0 \(NumberText.of(width)) \(NumberText.of(height))\" "
        + "class=\"\(SVGStyle.pictureClass)\" role=\"img\" aria-labelledby=\"diagram-title diagram-description\">",
      "<title id=\"diagram-title\">\(XMLText.escaped(title))</title>",
      "<desc id=\"diagram-description\">\(XMLText.escaped(summary))</desc>",
      "<style>\n\(SVGStyle.sheet)</style>",
      "<rect class=\"ground\" \(size)/>",
    ]
    if !title.isEmpty {
      lines.append(XMLText.element(shownTitle, class: "title", x: margin, y: margin + 12))
    }
    // Write lines before cards, because SVG draws later elements over earlier ones.
    lines += lineElements(layout, offset)
    var names = ElementNames()
    let shapes = cards.map(CardShape.init)
    for ((card, shape), frame) in zip(zip(cards, shapes), layout.cards) {
      let id = names.next("entity", card.name)
      lines.append(
        SVGCard(card: card, shape: shape, frame: frame.moved(by: offset), id: id).text)
    }
    lines.append(legend.text(at: Point(margin, offset.y + layout.height + 20)))
    lines.append("</svg>")
    return lines.filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
  }

  private var shownTitle: String { TextStyle.title.cut(VisibleText.of(title), to: 900) }
  private var titleWidth: Double { TextStyle.title.width(of: shownTitle) }

  private func lineElements(_ layout: DiagramLayout, _ offset: Point) -> [String] {
    var names = ElementNames()
    var lines: [String] = []
    for (arrow, route) in zip(inheritances, layout.inheritances) {
      let child = cards[arrow.child].name
      let parent = cards[arrow.parent].name
      let id = names.next("inheritance", child)
      lines.append(
        SVGLine.inheritance(
          route.moved(by: offset), title: "\(child) inherits from \(parent)", id: id))
    }
    for (relation, route) in zip(relations, layout.relations) {
      let id = names.next(
        "relation", cards[relation.source.card].name, relation.source.name ?? "")
      lines.append(SVGLine.relation(relation, route.moved(by: offset), cards: cards, id: id))
    }
    return lines
  }
}

extension DiagramLayout.Route {
  func moved(by offset: Point) -> Self {
    Self(points: points.map { $0.moved(by: offset) }, isCurved: isCurved)
  }
}
