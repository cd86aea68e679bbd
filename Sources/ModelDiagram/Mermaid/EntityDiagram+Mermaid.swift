extension EntityDiagram {
  /// The diagram as an `erDiagram` of Mermaid, which GitHub, GitLab and many editors draw from a
  /// Markdown file.
  ///
  /// Mermaid's entity-relationship diagrams know attributes, keys, comments and counts. They have no
  /// sign for inheritance: it is a dashed line "inherits from", from at most one child to exactly one
  /// parent. Types and names of attributes are words; a name that is none has its letters only, and
  /// itself in the comment.
  ///
  /// Form: <https://mermaid.js.org/syntax/entityRelationshipDiagram.html>.
  package var mermaid: String {
    let identifiers = CardIdentifiers.of(cards, reserved: MermaidText.reserved)
    var lines: [String] = []
    if !title.isEmpty {
      lines += ["---", "title: \(MermaidText.frontMatter(title))", "---"]
    }
    lines.append("erDiagram")
    for (card, identifier) in zip(cards, identifiers) {
      lines += MermaidText.lines(of: card, identifier: identifier)
    }
    for arrow in inheritances {
      lines.append(
        "    \(identifiers[arrow.child]) |o..|| \(identifiers[arrow.parent]) : \"inherits from\"")
    }
    for relation in relations {
      let left = MermaidText.leftSign(
        relation.isOwnInverse ? relation.source.leadsTo : relation.target.leadsTo)
      let right = MermaidText.rightSign(relation.source.leadsTo)
      lines.append(
        "    \(identifiers[relation.source.card]) \(left)--\(right) "
          + "\(identifiers[relation.target.card]) : \(MermaidText.quoted(relation.label))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
