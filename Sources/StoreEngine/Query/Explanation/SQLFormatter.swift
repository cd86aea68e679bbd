/// Formats a statement: one clause per line, indented subqueries, numbered parameters.
///
/// It only knows the syntax that the library's statements need: quoted names and strings, parentheses, and the
/// keywords that begin a clause.
package struct SQLFormatter {
  private var output = ""
  private var line = ""
  /// The indentation of the current line.
  private var indentation = 0
  /// Whether the current line continues a list that was too long for one line.
  private var lineWasBroken = false
  private var parameterCount = 0
  /// The open parentheses.
  private var groups: [Group] = []
  /// The numbers of `BETWEEN`s without their `AND` so far: outside of parentheses, then in each open parenthesis.
  private var betweens = [0]
  /// The last token that is not a space.
  private var last = SQLTokens.Token.space
  private static let width = 100

  /// An open parenthesis.
  private struct Group {
    let kind: Kind
    /// The indentation of the line that contains the parenthesis.
    let indentation: Int

    enum Kind {
      case subquery
      /// Conditions with AND or OR between them.
      case condition
      case other
    }
  }

  /// Returns the formatted statement.
  package static func formatted(_ sql: String) -> String {
    var formatter = SQLFormatter()
    let tokens = SQLTokens.all(of: sql)
    for index in tokens.indices {
      formatter.add(tokens[index], before: index + 1 < tokens.count ? tokens[index + 1] : nil)
      if tokens[index] != .space { formatter.last = tokens[index] }
    }
    formatter.breakLine()
    return formatter.output
  }

  /// The keywords that begin a line at the top level of a statement or a subquery.
  private static let clauses: Set<String> = [
    "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION", "LEFT",
  ]

  private mutating func add(_ token: SQLTokens.Token, before next: SQLTokens.Token?) {
    switch token {
    case .space: if !line.isEmpty { line += " " }
    case .quoted(let text): put(text)
    case .other("?"):
      parameterCount += 1
      put("?\(parameterCount)")
    case .other("("):
      put("(")
      let kind = kind(before: next)
      groups.append(Group(kind: kind, indentation: indentation))
      // The AND of a BETWEEN is in the same parentheses as the BETWEEN.
      betweens.append(0)
      if kind == .subquery { breakLine(indentation: indentation + 1) }
    case .other(")"):
      let group = groups.popLast()
      if betweens.count > 1 { betweens.removeLast() }
      if let group, group.kind == .subquery { breakLine(indentation: group.indentation) }
      put(")")
    case .other(let sign): put(String(sign))
    case .word(let word): addWord(word)
    }
  }

  /// Returns the kind of a parenthesis.
  private func kind(before next: SQLTokens.Token?) -> Group.Kind {
    if next == .word("SELECT") { return .subquery }
    switch last {
    case .word("WHERE"), .word("AND"), .word("OR"), .word("NOT"), .word("HAVING"): return .condition
    case .other("(") where groups.last?.kind == .condition: return .condition
    default: return .other
    }
  }

  private mutating func addWord(_ word: String) {
    if word == "BETWEEN" { betweens[betweens.count - 1] += 1 }
    let isOfBetween = word == "AND" && betweens[betweens.count - 1] > 0
    if isOfBetween { betweens[betweens.count - 1] -= 1 }
    let group = groups.last
    let clauseIndentation = group.map { $0.kind == .subquery ? $0.indentation + 1 : 0 } ?? 0
    let isInStatement = group == nil || group?.kind == .subquery
    // In `LEFT JOIN`, LEFT already begins the line.
    let isJoin = word == "JOIN" && last != .word("LEFT")
    if isInStatement, Self.clauses.contains(word) || isJoin {
      breakLine(indentation: clauseIndentation)
    } else if word == "AND" || word == "OR", !isOfBetween {
      switch group?.kind {
      case nil, .subquery: breakLine(indentation: clauseIndentation + 1)
      case .condition: breakLine(indentation: (group?.indentation ?? 0) + 1)
      case .other: break
      }
    }
    put(word)
  }

  private mutating func put(_ text: String) {
    if line.hasSuffix(", "), line.count + text.count > Self.width {
      breakLine(indentation: lineWasBroken ? indentation : indentation + 2)
      lineWasBroken = true
    }
    if line.isEmpty { line = String(repeating: "  ", count: indentation) }
    line += text
  }

  private mutating func breakLine(indentation next: Int = 0) {
    while line.last == " " { line.removeLast() }
    indentation = next
    lineWasBroken = false
    guard !line.isEmpty else { return }
    if !output.isEmpty { output += "\n" }
    output += line
    line = ""
  }
}

/// The words, symbols and quoted parts of a statement.
package enum SQLTokens {
  package enum Token: Equatable {
    case word(String)
    case quoted(String)
    case other(Character)
    case space
  }

  package static func all(of sql: String) -> [Token] {
    var tokens: [Token] = []
    var rest = sql[...]
    while let first = rest.first {
      switch first {
      case " ", "\n":
        rest.removeFirst()
        if tokens.last != .space { tokens.append(.space) }
      case "\"", "'":
        tokens.append(.quoted(quoted(first, &rest)))
      case _ where first.isLetter || first.isNumber || first == "_":
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        tokens.append(.word(String(word)))
        rest = rest[word.endIndex...]
      default:
        tokens.append(.other(first))
        rest.removeFirst()
      }
    }
    return tokens
  }

  /// Returns the text through the closing quote. A doubled quote does not close it.
  private static func quoted(_ quote: Character, _ rest: inout Substring) -> String {
    var text = String(rest.removeFirst())
    while let character = rest.popFirst() {
      text.append(character)
      if character == quote {
        guard rest.first == quote else { break }
        text.append(rest.removeFirst())
      }
    }
    return text
  }
}
