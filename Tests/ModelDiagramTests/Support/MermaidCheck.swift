/// Strictly parses the subset of Mermaid's `erDiagram` that the library writes: what the
/// documentation (<https://mermaid.js.org/syntax/entityRelationshipDiagram.html>) and the grammar
/// of Mermaid 11 allow, and nothing that an older version would reject.
struct MermaidCheck {
  struct Violation: Error {
    var line: String
    var reason: String
  }

  static func check(_ text: String) throws {
    guard text.hasSuffix("\n") else {
      throw Violation(line: text, reason: "does not end in a newline")
    }
    // "%%" begins a comment anywhere in a line.
    if text.contains("%%") { throw Violation(line: text, reason: "a comment") }
    var lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)[...]
    if lines.first == "---" {
      guard lines.count > 3, lines[1].wholeMatch(of: #/title: "([^"\\]|\\"|\\\\|\\x25)*"/#) != nil,
        lines[2] == "---"
      else { throw Violation(line: String(lines.prefix(3).joined()), reason: "no front matter") }
      lines = lines.dropFirst(3)
    }
    guard lines.popFirst() == "erDiagram" else { throw Violation(line: "", reason: "no erDiagram") }
    var check = MermaidCheck()
    for line in lines {
      // Mermaid reads any line that contains "direction LR" as a statement.
      if line.firstMatch(of: #/direction\s+(TB|BT|RL|LR)/#.ignoresCase()) != nil {
        throw Violation(line: String(line), reason: "a direction")
      }
      try check.read(line)
    }
    if check.isInBlock { throw Violation(line: "", reason: "a block is not closed") }
  }

  private var isInBlock = false
  private var entities: Set<Substring> = []

  private mutating func read(_ line: Substring) throws {
    if isInBlock {
      if line == "    }" {
        isInBlock = false
        return
      }
      let form =
        #/\ {8}([A-Za-z_][A-Za-z0-9_]*(?:\[\])?)\ ([A-Za-z_][A-Za-z0-9_]*)(?:\ UK)?(?:\ ("[^"%\\~]+"))?/#
      guard let match = line.wholeMatch(of: form) else {
        throw Violation(line: String(line), reason: "no attribute")
      }
      for word in [match.1, match.2] where ["pk", "fk", "uk"].contains(word.lowercased()) {
        throw Violation(line: String(line), reason: "a key where a word is expected")
      }
      return
    }
    let head = #/\ {4}([A-Za-z_][A-Za-z0-9_]*)(?:\["[^"%\\~]+"\])?(\ \{)?/#
    if let match = line.wholeMatch(of: head) {
      guard entities.insert(match.1).inserted else {
        throw Violation(line: String(line), reason: "a duplicate entity")
      }
      try checkWord(match.1, line)
      isInBlock = match.2 != nil
      return
    }
    let relation =
      #/\ {4}(\w+)\ (?:\|o|\|\||}o|}\|)(?:--|\.\.)(?:o\||\|\||o{|\|{)\ (\w+)\ :\ "[^"%\\~]+"/#
    guard let match = line.wholeMatch(of: relation) else {
      throw Violation(line: String(line), reason: "no statement")
    }
    guard entities.contains(match.1), entities.contains(match.2) else {
      throw Violation(line: String(line), reason: "an unknown entity")
    }
  }

  private func checkWord(_ word: Substring, _ line: Substring) throws {
    let statements = ["style", "class", "classdef", "end", "subgraph", "one", "many", "to", "zero"]
    if statements.contains(word.lowercased()) {
      throw Violation(line: String(line), reason: "a statement's word")
    }
  }
}
