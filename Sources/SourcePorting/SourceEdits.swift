import SwiftSyntax

/// What is put in the place of parts of a source.
struct SourceEdits {
  /// Where the end of a part and the beginning of the next are one place, what ends comes before the line break,
  /// and what begins after it.
  private enum Kind: Int {
    case ending, lineBreak, beginning
  }
  private struct Edit {
    let range: Range<Int>
    let text: String
    let kind: Kind
  }

  private var edits: [Edit] = []
  /// Where lines are broken: several edits may want the same.
  private var breaks: Set<Int> = []

  private mutating func add(_ range: Range<AbsolutePosition>, _ text: String, _ kind: Kind) {
    edits.append(
      Edit(
        range: range.lowerBound.utf8Offset..<range.upperBound.utf8Offset, text: text, kind: kind))
  }

  mutating func replace(_ range: Range<AbsolutePosition>, with text: String) {
    add(range, text, .beginning)
  }

  mutating func insert(_ text: String, before place: AbsolutePosition) {
    add(place..<place, text, .beginning)
  }

  mutating func insert(_ text: String, after place: AbsolutePosition) {
    add(place..<place, text, .ending)
  }

  /// Has a token begin a line, unless it does.
  mutating func breakLine(before token: TokenSyntax, in layout: SourceLayout) {
    let start = token.positionAfterSkippingLeadingTrivia
    guard layout.isBegun(before: token), breaks.insert(start.utf8Offset).inserted else { return }
    var place = start
    let before = token.previousToken(viewMode: .sourceAccurate)?.trailingTrivia.pieces ?? []
    for piece in (before + token.leadingTrivia.pieces).reversed() {
      guard piece.isSpaceOrTab else { break }
      place = AbsolutePosition(utf8Offset: place.utf8Offset - piece.sourceLength.utf8Length)
    }
    add(place..<start, "\n\(layout.indent(of: token))", .lineBreak)
  }

  /// Has a node begin a line. A block that is opened in its line begins another one, and is closed in a third.
  mutating func beginLine(with node: some SyntaxProtocol, in layout: SourceLayout) {
    guard let first = node.firstToken(viewMode: .sourceAccurate) else { return }
    if let block = layout.blockOpened(inLineOf: node) {
      if let first = block.first { breakLine(before: first, in: layout) }
      breakLine(before: block.end, in: layout)
    }
    breakLine(before: first, in: layout)
  }

  /// Has what follows a node begin a line.
  mutating func endLine(after node: some SyntaxProtocol, in layout: SourceLayout) {
    guard
      let next = node.lastToken(viewMode: .sourceAccurate)?
        .nextToken(viewMode: .sourceAccurate), next.tokenKind != .endOfFile
    else { return }
    breakLine(before: next, in: layout)
  }

  /// Puts a node between `#if` and `#else`, and something else between that and `#endif`.
  mutating func wrap(
    _ node: some SyntaxProtocol, inIf condition: String, else other: String,
    in layout: SourceLayout
  ) {
    let indent = layout.indent(of: node)
    beginLine(with: node, in: layout)
    insert("#if \(condition)\n\(indent)", before: node.positionAfterSkippingLeadingTrivia)
    insert(
      "\n\(indent)#else\n\(indent)\(other)\n\(indent)#endif",
      after: node.endPositionBeforeTrailingTrivia)
    endLine(after: node, in: layout)
  }

  func applied(to source: String) -> String {
    let bytes = Array(source.utf8)
    var result: [UInt8] = []
    var end = 0
    for index in edits.indices.sorted(by: { order(of: $0) < order(of: $1) }) {
      let edit = edits[index]
      // What is taken out as a whole takes edits of its parts with it.
      if edit.range.lowerBound < end { continue }
      result += bytes[end..<edit.range.lowerBound]
      result += edit.text.utf8
      end = edit.range.upperBound
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  private func order(of index: Int) -> (Int, Int, Int, Int) {
    let edit = edits[index]
    return (edit.range.lowerBound, edit.range.upperBound, edit.kind.rawValue, index)
  }
}
