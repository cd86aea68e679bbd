import ObjectModel

/// Creates the parts of a graph in the DOT language.
enum DOTText {
  /// Returns the label of an entity: an HTML-like table.
  static func table(of card: EntityCard) -> String {
    var name = "<B>\(text(card.name))</B>"
    if card.isAbstract { name = "<I>\(name)</I>" }
    var captions: [String] = []
    if card.isAbstract { captions.append("abstract") }
    if let className = card.className { captions.append(text(className)) }
    if !captions.isEmpty {
      name +=
        "<BR ALIGN=\"LEFT\"/><FONT POINT-SIZE=\"10\" COLOR=\"#5d6b7b\">"
        + "\(captions.joined(separator: " · "))</FONT><BR ALIGN=\"LEFT\"/>"
    }
    let tint = SVGStyle.headingColor(ofFamily: card.family)
    var result =
      "<TABLE BORDER=\"1\" COLOR=\"#b9c4d4\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" "
      + "BGCOLOR=\"#ffffff\"><TR><TD PORT=\"head\" COLSPAN=\"2\" "
      + "ALIGN=\"LEFT\" BGCOLOR=\"\(tint)\">\(name)</TD></TR>"
    var group: CardRow.Kind?
    for (place, row) in card.rows.enumerated() {
      if let group, group != row.kind.group { result += "<HR/>" }
      group = row.kind.group
      result += "<TR><TD PORT=\"left\(place)\" ALIGN=\"LEFT\">\(left(of: row))</TD>"
      result +=
        "<TD PORT=\"right\(place)\" ALIGN=\"RIGHT\"><FONT COLOR=\"#5d6b7b\">\(text(row.type))</FONT></TD></TR>"
    }
    return result + "</TABLE>"
  }

  private static func left(of row: CardRow) -> String {
    var result = String(repeating: "&#160;", count: 3 * row.depth) + text(row.name)
    if row.isKey { result += font("unique", color: "#b07d12") }
    for mark in row.marks {
      switch mark.tone {
      case "danger": result += font(mark.rawValue, color: "#a3321f")
      case "guarded": result += font(mark.rawValue, color: "#82590a")
      case "order": result += font(mark.rawValue, color: "#22588f")
      default: result += font(mark.rawValue, color: "#5d6b7b")
      }
    }
    return result
  }

  private static func font(_ word: String, color: String) -> String {
    " <FONT POINT-SIZE=\"9\" COLOR=\"\(color)\">\(word)</FONT>"
  }

  /// Returns a relation as an edge between two rows.
  static func line(
    of relation: RelationLine, _ cards: [EntityCard], _ identifiers: [String]
  ) -> String {
    // If many objects belong to one, the card of the one is on the left. A line from a card to itself has both ends on
    // the right side of the card.
    let isSwapped = relation.pointsBack
    let left = isSwapped ? relation.target : relation.source
    var right = isSwapped ? relation.source : relation.target
    if relation.isOwnInverse { right.row = nil }
    let start = port(left, isAtRight: true, identifiers)
    let end = port(right, isAtRight: left.card == right.card, identifiers)
    let leftArrow = arrow(isSwapped ? relation.source.leadsTo : relation.target.leadsTo)
    let rightArrow =
      relation.isOwnInverse
      ? "none" : arrow(isSwapped ? relation.target.leadsTo : relation.source.leadsTo)
    let tooltip = quoted(relation.explanation(cards))
    return "  \(start) -> \(end) [arrowtail=\(leftArrow), arrowhead=\(rightArrow), "
      + "tooltip=\(tooltip)];"
  }

  /// Returns the port of a row at a side of its table.
  private static func port(
    _ end: RelationLine.End, isAtRight: Bool, _ identifiers: [String]
  ) -> String {
    let row = end.row.map { "\(isAtRight ? "right" : "left")\($0)" } ?? "head"
    return "\"\(identifiers[end.card])\":\(row):\(isAtRight ? "e" : "w")"
  }

  /// Returns the arrow shapes at an end, from the card outwards: the maximum, then the minimum.
  private static func arrow(_ counts: RelationLine.Cardinality?) -> String {
    guard let counts else { return "none" }
    return (counts.includesMany ? "crow" : "tee") + (counts.includesNone ? "odot" : "tee")
  }

  /// Returns a string for an HTML-like label. The result is never empty, because Graphviz rejects an empty one.
  private static func text(_ text: String) -> String {
    text.isEmpty ? " " : XMLText.escaped(TextStyle.row.cut(VisibleText.of(text), to: 480))
  }

  /// Returns a quoted string with escaped backslashes and quotation marks.
  static func quoted(_ text: String) -> String {
    let text = VisibleText.of(text).replacing(scalar: "\\", with: "\\\\").replacing(
      scalar: "\"", with: "\\\"")
    return "\"\(text)\""
  }
}
