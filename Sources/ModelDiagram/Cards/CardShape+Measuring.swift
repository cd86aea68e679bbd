extension CardShape {
  /// Distances inside a card, in points.
  enum Metrics {
    static let padding = 12.0
    static let headerHeight = 30.0
    static let captionHeight = 14.0
    static let rowHeight = 20.0
    static let groupPadding = 5.0
    static let minimumWidth = 132.0
    static let longestName = 210.0
    static let longestType = 180.0
    static let longestHeading = 440.0
    static let columnGap = 18.0
    static let keyWidth = 15.0
    static let markGap = 5.0
    static let indent = 14.0
  }

  /// Creates a card that is as wide as its texts need.
  init(_ card: EntityCard) {
    typealias M = Metrics
    name = TextStyle.heading.cut(VisibleText.of(card.name), to: M.longestHeading)
    var captions: [String] = []
    if card.isAbstract { captions.append("abstract") }
    if let className = card.className { captions.append(VisibleText.of(className)) }
    caption =
      captions.isEmpty
      ? nil : TextStyle.caption.cut(captions.joined(separator: " · "), to: M.longestHeading)
    headerHeight = M.headerHeight + (caption == nil ? 0 : M.captionHeight)
    let noteWidth = card.note.map { M.columnGap + TextStyle.caption.width(of: $0) } ?? 0
    width = max(
      M.minimumWidth, TextStyle.heading.width(of: name) + noteWidth + 2 * M.padding,
      caption.map { TextStyle.caption.width(of: $0) + 2 * M.padding } ?? 0)
    rows = []
    separators = []
    let marksX = Self.marksX(of: card.rows)
    var y = headerHeight
    var group: CardRow.Kind?
    for row in card.rows {
      if row.kind.group != group {
        if group != nil {
          y += M.groupPadding
          separators.append(y)
        }
        y += M.groupPadding
        group = row.kind.group
      }
      let (shape, rowWidth) = Self.measure(row, middle: y + M.rowHeight / 2, marksX: marksX)
      rows.append(shape)
      width = max(width, rowWidth)
      y += M.rowHeight
    }
    if group != nil { y += M.groupPadding }
    // Rounded, because the tables of Graphviz have integer widths (`GraphvizPlan.text`).
    width = width.rounded(.up)
    height = y
  }

  /// Returns the left edge of keys and marks, which is the same for all rows of a card: after the longest name of a
  /// row that has keys or marks. Placed after each name instead, they would be at uneven distances from the names in
  /// fonts narrower than the measured one.
  private static func marksX(of rows: [CardRow]) -> Double {
    rows.filter { $0.isKey || !$0.marks.isEmpty }
      .map { nameX($0) + TextStyle.row.width(of: shownName($0)) + Metrics.markGap }.max() ?? 0
  }

  private static func nameX(_ row: CardRow) -> Double {
    Metrics.padding + Double(row.depth) * Metrics.indent
  }

  private static func shownName(_ row: CardRow) -> String {
    TextStyle.row.cut(VisibleText.of(row.name), to: Metrics.longestName)
  }

  private static func measure(
    _ row: CardRow, middle: Double, marksX: Double
  ) -> (Row, Double) {
    typealias M = Metrics
    let name = shownName(row)
    let nameX = nameX(row)
    var type = VisibleText.of(row.type)
    // Cut only the name of the type, and keep its suffix (a question mark, counts).
    let tail = row.type.typeTail
    if TextStyle.row.width(of: type) > M.longestType {
      let head = String(type.dropLast(tail.count))
      type = TextStyle.row.cut(head, to: M.longestType - TextStyle.row.width(of: tail)) + tail
    }
    var x = nameX + TextStyle.row.width(of: name)
    if row.isKey || !row.marks.isEmpty { x = marksX }
    let keyX = row.isKey ? x : nil
    if row.isKey { x += M.keyWidth + M.markGap }
    var marks: [PlacedMark] = []
    for mark in row.marks {
      let width = TextStyle.mark.width(of: mark.rawValue) + 8
      marks.append(PlacedMark(mark: mark, x: x, width: width))
      x += width + M.markGap
    }
    let shape = Row(
      name: name, type: type, middle: middle, keyX: keyX, marks: marks, nameX: nameX)
    return (shape, x + M.columnGap + TextStyle.row.width(of: type) + M.padding)
  }
}

extension CardRow.Kind {
  /// The group of the row. A line separates the groups.
  var group: CardRow.Kind { self == .attribute ? .attribute : .relationship }
}

extension String {
  /// The suffix of a type's name: a question mark, or a space and counts.
  var typeTail: String {
    if hasSuffix("?") { return "?" }
    guard let space = lastIndex(of: " ") else { return "" }
    let tail = self[space...]
    let isCount = tail.dropFirst().allSatisfy { "0123456789.,*".contains($0) }
    return isCount ? String(tail) : ""
  }
}
