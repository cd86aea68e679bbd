import SwiftParser
import SwiftSyntax

/// Moves members from extensions to their classes, where they have to be without Objective-C: overrides and required
/// initializers.
///
/// Works only for classes in the same file, outside of `#if`.
struct MovedMembers {
  static let remark = "the member is moved into its class"

  fileprivate struct Home {
    let type: ClassDeclSyntax
    let node: ExtensionDeclSyntax
    let members: [MemberBlockItemSyntax]
    /// Whether the extension is the first declaration in its file.
    let isFirst: Bool
  }

  fileprivate let homes: [Home]

  init(_ tree: SourceFileSyntax, among known: ManagedClasses) {
    let declarations = tree.statements.compactMap { $0.item.as(DeclSyntax.self) }
    let classes = Dictionary(
      declarations.compactMap { $0.as(ClassDeclSyntax.self) }.map { ($0.name.text, $0) },
      uniquingKeysWith: { first, _ in first })
    homes = declarations.compactMap { $0.as(ExtensionDeclSyntax.self) }.compactMap { node in
      let name = node.extendedType.trimmedDescription
      // Modifiers, attributes and constraints of the extension apply to its members and would be lost.
      guard node.modifiers.isEmpty, node.genericWhereClause == nil, node.attributes.isEmpty,
        let type = classes[name]
      else { return nil }
      let members = Array(node.memberBlock.members).filter {
        $0.isOverride
          || known.isManagedObject(name)
            && $0.decl.as(InitializerDeclSyntax.self)?.isOfContext == true
      }
      if members.isEmpty { return nil }
      return Home(type: type, node: node, members: members, isFirst: node.position.utf8Offset == 0)
    }
  }

  /// Returns whether a node is, or is inside, a member that is moved.
  func contain(_ node: some SyntaxProtocol) -> Bool {
    homes.contains { $0.members.contains { $0.range.contains(node.position) } }
  }

  /// Returns a source with the members moved to their classes.
  static func applied(to source: String, among known: ManagedClasses) -> String {
    let tree = Parser.parse(source: source)
    let moved = MovedMembers(tree, among: known)
    if moved.homes.isEmpty { return source }
    let layout = SourceLayout(tree)
    var edits = SourceEdits()
    var texts: [ClassDeclSyntax: String] = [:]
    for home in moved.homes {
      let indent = layout.memberIndent(of: home.type)
      if home.isLeftEmpty {
        texts[home.type, default: ""] += home.comments.map { "\n\(indent)\($0)" }.joined()
        edits.replace(home.removedRange, with: home.linesLeft)
      } else {
        for member in home.members {
          // Text after the member stays on a separate line.
          let next = member.lastToken(viewMode: .sourceAccurate)?
            .nextToken(viewMode: .sourceAccurate)
          let isLineKept =
            member.leadingTrivia.contains(where: \.isNewline)
            && next.map(layout.isBegun(before:)) == true
          edits.replace(
            member.position..<member.endPosition,
            with: isLineKept ? "\n\(layout.lineIndent(of: member))" : "")
        }
      }
      texts[home.type, default: ""] += home.members.map { $0.text(indentedBy: indent) }.joined()
    }
    for (type, text) in texts {
      let (opening, closing) = (type.memberBlock.leftBrace, type.memberBlock.rightBrace)
      let last = closing.previousToken(viewMode: .sourceAccurate) ?? opening
      let hasComment = last.trailingTrivia.hasComment || closing.leadingTrivia.hasComment
      if !hasComment, last == opening || layout.isBegun(before: closing) {
        edits.replace(
          last.endPositionBeforeTrailingTrivia..<closing.positionAfterSkippingLeadingTrivia,
          with: "\(text)\n\(layout.lineIndent(of: type))")
      } else if layout.isBegun(before: closing) {
        edits.insert(
          "\(text)\n\(layout.lineIndent(of: type))",
          before: closing.positionAfterSkippingLeadingTrivia)
      } else {
        edits.insert(text, after: closing.position)
      }
    }
    return edits.applied(to: source)
  }
}

extension MovedMembers.Home {
  /// Whether the extension becomes empty and is removed. It stays if it declares a conformance or has comments at its
  /// braces.
  fileprivate var isLeftEmpty: Bool {
    let block = node.memberBlock
    return node.inheritanceClause == nil && members.count == block.members.count
      && ![block.leftBrace.trailingTrivia, block.rightBrace.leadingTrivia, node.trailingTrivia]
        .contains(where: \.hasComment)
  }

  /// The comments above the extension, which are moved too. At the top of a file they belong to the file.
  fileprivate var comments: [String] {
    isFirst ? [] : node.leadingTrivia.compactMap(\.comment)
  }

  /// The line breaks above the extension that exceed those above the next declaration.
  fileprivate var linesLeft: String {
    let above = isFirst ? 0 : node.leadingTrivia.firstNewlines
    let next = node.lastToken(viewMode: .sourceAccurate)?
      .nextToken(viewMode: .sourceAccurate)
    guard let next, next.tokenKind != .endOfFile else { return "" }
    return String(repeating: "\n", count: max(0, above - next.leadingTrivia.firstNewlines))
  }

  fileprivate var removedRange: Range<AbsolutePosition> {
    (isFirst ? node.positionAfterSkippingLeadingTrivia : node.position)..<node.endPosition
  }
}

extension MemberBlockItemSyntax {
  fileprivate var isOverride: Bool {
    let modifiers =
      decl.as(FunctionDeclSyntax.self)?.modifiers ?? decl.as(VariableDeclSyntax.self)?.modifiers
      ?? decl.as(SubscriptDeclSyntax.self)?.modifiers
    return modifiers?.contains { $0.name.tokenKind == .keyword(.override) } == true
  }

  /// Returns the member with its comments, beginning with a new line.
  fileprivate func text(indentedBy indent: String) -> String {
    let text =
      leadingTrivia.contains(where: \.isNewline)
      ? description : "\n\(indent)\(trimmedDescription)"
    let end: Set<Character> = semicolon == nil ? [" ", "\t"] : [" ", "\t", ";"]
    return String(text.reversed().drop { end.contains($0) }.reversed())
  }
}

extension Trivia {
  /// The number of line breaks at the beginning.
  fileprivate var firstNewlines: Int {
    if case .newlines(let count) = first(where: { !$0.isSpaceOrTab }) { count } else { 0 }
  }
}

extension TriviaPiece {
  var comment: String? {
    switch self {
    case .lineComment(let text), .docLineComment(let text), .blockComment(let text),
      .docBlockComment(let text):
      text
    default: nil
    }
  }
}
