import SwiftSyntax

/// The line in which a node begins.
struct SourceLine {
  /// The spaces with which it begins.
  var indent = ""
  /// Whether something stands before the node.
  var isBegun = false

  init(of node: some SyntaxProtocol) {
    var text = ""
    var token = node.firstToken(viewMode: .sourceAccurate)
    text = token?.leadingTrivia.description ?? ""
    while !text.contains(where: \.isNewline),
      let previous = token?.previousToken(viewMode: .sourceAccurate)
    {
      text = previous.text + previous.trailingTrivia.description + text
      text = previous.leadingTrivia.description + text
      token = previous
    }
    let line =
      text.lastIndex(where: \.isNewline).map { text[text.index(after: $0)...] } ?? text[...]
    indent = String(line.prefix { $0 == " " || $0 == "\t" })
    isBegun = line.contains { $0 != " " && $0 != "\t" }
  }
}

extension SyntaxProtocol {
  /// Whether nothing but spaces and comments follows in the line.
  var isLastOfLine: Bool {
    guard let last = lastToken(viewMode: .sourceAccurate),
      let next = last.nextToken(viewMode: .sourceAccurate)
    else { return true }
    return (last.trailingTrivia.description + next.leadingTrivia.description)
      .contains(where: \.isNewline)
  }
}
