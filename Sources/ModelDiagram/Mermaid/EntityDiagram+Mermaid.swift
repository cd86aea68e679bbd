extension EntityDiagram {
  /// The diagram as a Mermaid `erDiagram`, which GitHub, GitLab and many editors render in Markdown files.
  ///
  /// Mermaid's entity-relationship diagrams support attributes, keys, comments and cardinalities. They have no
  /// symbol for inheritance, so it is a dashed line "inherits from", from at most one child to exactly one
  /// parent. Types and names of attributes must be words. If a name is not a word, its special characters are
  /// replaced, and the comment contains the original name.
  ///
  /// Syntax: <https://mermaid.js.org/syntax/entityRelationshipDiagram.html>.
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
        // The same relationship leads to both ends.
        relation.isOwnInverse ? relation.source.leadsTo : relation.target.leadsTo)
      let right = MermaidText.rightSign(relation.source.leadsTo)
      lines.append(
        "    \(identifiers[relation.source.card]) \(left)--\(right) "
          + "\(identifiers[relation.target.card]) : \(MermaidText.quoted(relation.label))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
