import SwiftSyntax

/// The lines of a source and their indentation.
struct SourceLayout {
  private let converter: SourceLocationConverter
  private let lines: [String]
  /// The additional indentation of a block.
  let step: String

  init(_ tree: SourceFileSyntax) {
    converter = SourceLocationConverter(fileName: "", tree: tree)
    lines = converter.sourceLines
    let indents = lines.map { $0.prefix { $0 == " " || $0 == "\t" } }
    // Lines of a block comment may begin with two spaces and an asterisk in any layout.
    let isNarrow = zip(lines, indents).contains { line, indent in
      indent == "  " && !line.dropFirst(2).hasPrefix("*")
    }
    step = indents.contains { $0.hasPrefix("\t") } ? "\t" : isNarrow ? "  " : "    "
  }

  func place(of position: AbsolutePosition) -> (line: Int, column: Int) {
    let location = converter.location(for: position)
    return (location.line, location.column)
  }

  private func line(of node: some SyntaxProtocol) -> Int {
    place(of: node.positionAfterSkippingLeadingTrivia).line
  }

  /// Returns the indentation of the line that contains a node.
  func lineIndent(of node: some SyntaxProtocol) -> String {
    let line = line(of: node)
    guard lines.indices.contains(line - 1) else { return "" }
    return String(lines[line - 1].prefix { $0 == " " || $0 == "\t" })
  }

  /// Returns the indentation for a node that begins a line.
  func indent(of node: some SyntaxProtocol) -> String {
    if let first = node.firstToken(viewMode: .sourceAccurate), let parent = first.parent,
      let (start, end) = Self.braces(of: parent), end.id == first.id
    {
      return lineIndent(of: start)
    }
    return blockOpened(inLineOf: node) == nil ? lineIndent(of: node) : lineIndent(of: node) + step
  }

  /// Returns the indentation for the members of a type.
  func memberIndent(of type: ClassDeclSyntax) -> String {
    guard let member = type.memberBlock.members.first,
      let first = member.firstToken(viewMode: .sourceAccurate), !isBegun(before: first)
    else { return lineIndent(of: type) + step }
    return lineIndent(of: member)
  }

  /// Returns whether other code, or a comment at the start of the file, precedes a token on its line.
  func isBegun(before token: TokenSyntax) -> Bool {
    guard let previous = token.previousToken(viewMode: .sourceAccurate) else {
      return token.leadingTrivia.contains { !$0.isSpaceOrTab }
        && !token.leadingTrivia.contains(where: \.isNewline)
    }
    return !previous.trailingTrivia.contains(where: \.isNewline)
      && !token.leadingTrivia.contains(where: \.isNewline)
  }

  /// Returns the first token and the closing brace of the innermost block that contains a node; nil if the block is not
  /// opened on the node's line.
  func blockOpened(inLineOf node: some SyntaxProtocol) -> (first: TokenSyntax?, end: TokenSyntax)? {
    for parent in node.ancestors {
      if let (start, end) = Self.braces(of: parent), start.position < node.position {
        guard line(of: start) == line(of: node) else { return nil }
        return (start.nextToken(viewMode: .sourceAccurate), end)
      }
    }
    return nil
  }

  /// Returns the tokens around the content of a block: its braces; for a closure with a signature, `in` instead of the
  /// left brace; for a switch case, its colon and the token after the case.
  private static func braces(of node: Syntax) -> (TokenSyntax, TokenSyntax)? {
    if let block = node.as(CodeBlockSyntax.self) { return (block.leftBrace, block.rightBrace) }
    if let block = node.as(MemberBlockSyntax.self) { return (block.leftBrace, block.rightBrace) }
    if let block = node.as(AccessorBlockSyntax.self) { return (block.leftBrace, block.rightBrace) }
    if let closure = node.as(ClosureExprSyntax.self) {
      return (closure.signature?.inKeyword ?? closure.leftBrace, closure.rightBrace)
    }
    if let branch = node.as(SwitchCaseSyntax.self),
      let colon = branch.label.lastToken(viewMode: .sourceAccurate),
      let end = branch.lastToken(viewMode: .sourceAccurate)?
        .nextToken(viewMode: .sourceAccurate)
    {
      return (colon, end)
    }
    return nil
  }
}
