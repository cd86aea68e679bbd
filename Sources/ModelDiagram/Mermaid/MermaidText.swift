import ObjectModel

/// Creates the parts of a Mermaid diagram.
enum MermaidText {
  /// Words that Mermaid interprets as keywords where it expects the name of an entity, in upper or lower case.
  static let reserved: Set<String> = [
    "accdescr", "acctitle", "class", "classdef", "direction", "end", "erdiagram", "many", "o",
    "one",
    "only", "optionally", "style", "subgraph", "title", "to", "u", "zero",
  ]

  /// Words that Mermaid interprets as the kind of a key in the line of an attribute: primary, foreign and unique keys.
  private static let keys: Set<String> = ["pk", "fk", "uk"]

  /// Returns an entity with its attributes.
  static func lines(of card: EntityCard, identifier: String) -> [String] {
    var head = "    \(identifier)"
    var facts: [String] = []
    if card.isAbstract { facts.append("abstract") }
    if let className = card.className { facts.append("class \(className)") }
    if identifier != card.name || !facts.isEmpty {
      let label = facts.isEmpty ? card.name : "\(card.name) (\(facts.joined(separator: ", ")))"
      head += "[\(quoted(label))]"
    }
    // Relationships are lines of the diagram, not attributes.
    let rows = card.rows.filter { $0.kind != .relationship }
    guard !rows.isEmpty else { return [head] }
    return ["\(head) {"] + rows.map { "        \(line(of: $0))" } + ["    }"]
  }

  private static func line(of row: CardRow) -> String {
    var comments: [String] = []
    var name = CardIdentifiers.word(row.name)
    if name != row.name { comments.append(row.name) }
    if keys.contains(name.lowercased()) { name += "_" }
    var type = row.type
    if row.kind == .fetchedProperty {
      // The type ends with the counts, which Mermaid's types cannot contain.
      type =
        CardIdentifiers.word(type.split(separator: " ").dropLast().joined(separator: " ")) + "[]"
    } else {
      if type.hasSuffix("?") {
        type.removeLast()
        comments.append("optional")
      }
      type = CardIdentifiers.word(type.filter { $0 != " " })
    }
    if keys.contains(type.lowercased()) { type += "_" }
    if row.depth > 0 { comments.append("element") }
    comments += row.marks.map(\.rawValue)
    var line = "\(type) \(name)"
    if row.isKey { line += " UK" }
    if !comments.isEmpty { line += " \(quoted(comments.joined(separator: ", ")))" }
    return line
  }

  /// Returns the symbol at the left end of a line.
  static func leftSign(_ counts: RelationLine.Cardinality?) -> String {
    guard let counts else { return "}o" }
    switch (counts.includesNone, counts.includesMany) {
    case (true, false): return "|o"
    case (false, false): return "||"
    case (true, true): return "}o"
    case (false, true): return "}|"
    }
  }

  /// Returns the symbol at the right end of a line, which mirrors the left one.
  static func rightSign(_ counts: RelationLine.Cardinality?) -> String {
    String(leftSign(counts).reversed()).replacing(scalar: "}", with: "{")
  }

  /// Returns a string in quotation marks, with Mermaid's character codes (`#34;`, `#37;`) for characters that have
  /// a meaning anywhere in a document: a percent sign may begin a comment, a tilde a generic type.
  ///
  /// The result is never empty, because Mermaid does not accept an empty string.
  static func quoted(_ text: String) -> String {
    var result = ""
    for scalar in VisibleText.of(text).unicodeScalars {
      let isPlain =
        !scalar.isASCII || CardIdentifiers.isWord("_" + String(scalar))
        || " .,:()/-+*=?!'".unicodeScalars.contains(scalar)
      if isPlain { result.unicodeScalars.append(scalar) } else { result += "#\(scalar.value);" }
    }
    // Mermaid interprets a line with "direction LR" anywhere in it as the layout's direction.
    if result.lowercased().contains("direction") {
      result = result.replacing(scalar: " ", with: "#32;")
    }
    return result.isEmpty || result.allSatisfy { $0 == " " } ? "\"#160;\"" : "\"\(result)\""
  }

  /// Returns a string as a YAML string for the front matter of a diagram.
  ///
  /// Percent signs are escaped, because two of them would begin a Mermaid comment if comments are removed first.
  static func frontMatter(_ text: String) -> String {
    let text = VisibleText.of(text).replacing(scalar: "\\", with: "\\\\").replacing(
      scalar: "\"", with: "\\\""
    )
    .replacing(scalar: "%", with: "\\x25")
    return "\"\(text)\""
  }
}
