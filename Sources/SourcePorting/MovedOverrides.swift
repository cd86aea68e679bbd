import SwiftParser
import SwiftSyntax

/// Moves overriding members of extensions into their classes: without Objective-C they are overridden nowhere
/// else.
///
/// Only those whose class is written in the same file, outside of conditions.
struct MovedOverrides {
  private let classes: [String: ClassDeclSyntax]
  private let members: [(member: MemberBlockItemSyntax, home: ClassDeclSyntax)]

  init(_ tree: SourceFileSyntax) {
    let declarations = tree.statements.compactMap { $0.item.as(DeclSyntax.self) }
    let classes = Dictionary(
      declarations.compactMap { $0.as(ClassDeclSyntax.self) }.map { ($0.name.text, $0) },
      uniquingKeysWith: { first, _ in first })
    self.classes = classes
    members = declarations.compactMap { $0.as(ExtensionDeclSyntax.self) }.flatMap { node in
      // What the extension says of all its members would not go along.
      guard node.modifiers.isEmpty, node.genericWhereClause == nil, node.attributes.isEmpty,
        let home = classes[node.extendedType.trimmedDescription]
      else { return [(member: MemberBlockItemSyntax, home: ClassDeclSyntax)]() }
      return Array(node.memberBlock.members).filter(\.isOverride).map { ($0, home) }
    }
  }

  /// Whether a modifier belongs to a member that is moved.
  func contains(_ modifier: DeclModifierSyntax) -> Bool {
    members.contains { $0.member.range.contains(modifier.position) }
  }

  /// A source with the members in their classes.
  static func applied(to source: String) -> String {
    let moved = MovedOverrides(Parser.parse(source: source))
    if moved.members.isEmpty { return source }
    var edits: [(range: Range<Int>, text: String)] = []
    for home in moved.classes.values {
      let texts = moved.members.filter { $0.home == home }.map { $0.member.description }
      if texts.isEmpty { continue }
      let place = home.memberBlock.rightBrace.position.utf8Offset
      edits.append((place..<place, texts.map { $0.hasPrefix("\n") ? $0 : "\n" + $0 }.joined()))
    }
    for (member, _) in moved.members {
      edits.append((member.position.utf8Offset..<member.endPosition.utf8Offset, ""))
    }
    var bytes = Array(source.utf8)
    for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
      bytes.replaceSubrange(edit.range, with: edit.text.utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension MemberBlockItemSyntax {
  fileprivate var isOverride: Bool {
    let modifiers =
      decl.as(FunctionDeclSyntax.self)?.modifiers ?? decl.as(VariableDeclSyntax.self)?.modifiers
    return modifiers?.contains { $0.name.tokenKind == .keyword(.override) } == true
  }
}
