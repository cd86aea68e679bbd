/// Writes a card as SVG.
struct SVGCard {
  let card: EntityCard
  let shape: CardShape
  let frame: Frame
  let id: String

  /// The corner radius.
  static let radius = 7.0

  /// The elements, one per line.
  var text: String {
    let tint = SVGStyle.tintClass(ofFamily: card.family)
    var lines = ["<g id=\"\(XMLText.escaped(id))\" class=\"entity \(tint)\">"]
    let box =
      "x=\"\(NumberText.of(frame.x))\" y=\"\(NumberText.of(frame.y))\" "
      + "width=\"\(NumberText.of(frame.width))\" height=\"\(NumberText.of(frame.height))\""
    lines.append("<rect class=\"card\" \(box) rx=\"\(NumberText.of(Self.radius))\"/>")
    lines.append(heading)
    for y in shape.separators {
      let height = NumberText.of(frame.y + y)
      lines.append(
        "<path class=\"rule\" d=\"M\(NumberText.of(frame.x + 8)),\(height)"
          + "H\(NumberText.of(frame.right - 8))\"/>")
    }
    for (row, rowShape) in zip(card.rows, shape.rows) { lines.append(text(of: row, rowShape)) }
    lines.append("</g>")
    return lines.joined(separator: "\n")
  }

  private var heading: String {
    // The heading is half a point inside the card, so that it does not cover the card's border.
    let left = frame.x + 0.5
    let right = frame.right - 0.5
    let top = frame.y + 0.5
    let bottom = frame.y + shape.headerHeight
    let radius = Self.radius - 0.5
    // A card without rows is only a heading, so its lower corners are round too.
    let isWhole = card.rows.isEmpty
    var path = "M\(NumberText.of(left)),\(NumberText.of(top + radius))"
    path += "q0,-\(NumberText.of(radius)) \(NumberText.of(radius)),-\(NumberText.of(radius))"
    path += "H\(NumberText.of(right - radius))"
    path += "q\(NumberText.of(radius)),0 \(NumberText.of(radius)),\(NumberText.of(radius))"
    if isWhole {
      path += "V\(NumberText.of(bottom - 0.5 - radius))"
      path += "q0,\(NumberText.of(radius)) -\(NumberText.of(radius)),\(NumberText.of(radius))"
      path += "H\(NumberText.of(left + radius))"
      path += "q-\(NumberText.of(radius)),0 -\(NumberText.of(radius)),-\(NumberText.of(radius))z"
    } else {
      path += "V\(NumberText.of(bottom))H\(NumberText.of(left))z"
    }
    let x = frame.x + CardShape.Metrics.padding
    let end = frame.right - CardShape.Metrics.padding
    let abstract = card.isAbstract ? " abstract" : ""
    var result = "<g><title>\(XMLText.escaped(card.explanation))</title>"
    result += "<path class=\"head\" d=\"\(path)\"/>"
    result += XMLText.element(shape.name, class: "heading\(abstract)", x: x, y: frame.y + 19.5)
    if let caption = shape.caption {
      result += XMLText.element(caption, class: "caption", x: x, y: frame.y + 34)
    }
    if let note = card.note {
      result += XMLText.element(note, class: "caption end", x: end, y: frame.y + 19.5)
    }
    result += "</g>"
    guard let link = card.link else { return result }
    return "<a href=\"\(XMLText.escaped(link))\">\(result)</a>"
  }

  private func text(of row: CardRow, _ place: CardShape.Row) -> String {
    let baseline = frame.y + place.middle + 4.2
    var result = "<g class=\"row\"><title>\(XMLText.escaped(row.explanation))</title>"
    result += XMLText.element(place.name, class: "name", x: frame.x + place.nameX, y: baseline)
    if let keyX = place.keyX { result += key(at: Point(frame.x + keyX, frame.y + place.middle)) }
    for mark in place.marks { result += text(of: mark, middle: frame.y + place.middle) }
    let end = frame.right - CardShape.Metrics.padding
    return result + XMLText.element(place.type, class: "type end", x: end, y: baseline) + "</g>"
  }

  /// Returns a key symbol: a ring, a shaft and two teeth.
  private func key(at point: Point) -> String {
    let x = NumberText.of(point.x + 3)
    let y = NumberText.of(point.y)
    return "<path class=\"key\" d=\"M\(x),\(y)m-2.6,0a2.6,2.6 0 1 0 5.2,0a2.6,2.6 0 1 0 -5.2,0"
      + "m5.2,0h6v2.6m-2.6,-2.6v2\"/>"
  }

  private func text(of mark: CardShape.PlacedMark, middle: Double) -> String {
    let x = frame.x + mark.x
    var result = "<g class=\"\(mark.mark.tone)\">"
    result +=
      "<rect class=\"pill\" x=\"\(NumberText.of(x))\" y=\"\(NumberText.of(middle - 6.5))\" "
      + "width=\"\(NumberText.of(mark.width))\" height=\"13\" rx=\"4\"/>"
    result += XMLText.element(
      mark.mark.rawValue, class: "mark mid", x: x + mark.width / 2, y: middle + 3.2)
    return result + "</g>"
  }
}

extension CardRow.Mark {
  /// The CSS class that colors the mark.
  var tone: String {
    switch self {
    case .cascade: "danger"
    case .deny: "guarded"
    case .ordered: "order"
    case .transient, .derived, .external, .encrypted, .fetched, .noAction: "plain"
    }
  }
}
