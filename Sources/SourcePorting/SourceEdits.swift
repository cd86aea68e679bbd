import SwiftSyntax

/// Replacements for parts of a source.
struct SourceEdits {
  /// If one part ends where the next begins, text that ends a part is inserted before the line break, and text that
  /// begins a part after it.
  private enum Kind: Int {
    case ending, lineBreak, beginning
  }
  private struct Edit {
    let range: Range<Int>
    let text: String
    let kind: Kind
  }

  private var edits: [Edit] = []
  /// The positions of line breaks; several edits may request the same one.
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

  /// Makes a token begin a line, unless it already does.
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

  /// Makes a node begin a line. If a block is opened on the node's line, the block's content and end begin lines, too.
  mutating func beginLine(with node: some SyntaxProtocol, in layout: SourceLayout) {
    guard let first = node.firstToken(viewMode: .sourceAccurate) else { return }
    if let block = layout.blockOpened(inLineOf: node) {
      if let first = block.first { breakLine(before: first, in: layout) }
      breakLine(before: block.end, in: layout)
    }
    breakLine(before: first, in: layout)
  }

  /// Makes the text after a node begin a line.
  mutating func endLine(after node: some SyntaxProtocol, in layout: SourceLayout) {
    guard
      let next = node.lastToken(viewMode: .sourceAccurate)?
        .nextToken(viewMode: .sourceAccurate), next.tokenKind != .endOfFile
    else { return }
    breakLine(before: next, in: layout)
  }

  /// Puts a node between `#if` and `#else`, and other code between `#else` and `#endif`.
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
    // The positions count bytes of UTF-8.
    let bytes = Array(source.utf8)
    var result: [UInt8] = []
    var end = 0
    for index in edits.indices.sorted(by: { order(of: $0) < order(of: $1) }) {
      let edit = edits[index]
      // Removing a range also removes the edits inside it.
      if edit.range.lowerBound < end { continue }
      result += bytes[end..<edit.range.lowerBound]
      result += edit.text.utf8
      end = edit.range.upperBound
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  private func order(of index: Int) -> (Int, Int, Int, Int) {
    let edit = edits[index]
    // The index keeps edits at one place in the order in which they were added.
    return (edit.range.lowerBound, edit.range.upperBound, edit.kind.rawValue, index)
  }
}
