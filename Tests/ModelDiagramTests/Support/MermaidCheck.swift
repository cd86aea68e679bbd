/// Reads the part of Mermaid's `erDiagram` that is written here, strictly: what the documentation
/// (<https://mermaid.js.org/syntax/entityRelationshipDiagram.html>) and the grammar of Mermaid 11
/// allow, and nothing that an older version would refuse.
struct MermaidCheck {
  struct Fault: Error {
    var line: String
    var reason: String
  }

  static func check(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Fault(line: text, reason: "does not end in a newline") }
    // A comment begins anywhere at "%%"; a line that says "direction LR" is taken for a statement.
    if text.contains("%%") { throw Fault(line: text, reason: "a comment") }
    var lines = text.dropLast().split(separator: "\n", omittingEmptySubsequences: false)[...]
    if lines.first == "---" {
      guard lines.count > 3, lines[1].wholeMatch(of: #/title: "([^"\\]|\\"|\\\\|\\x25)*"/#) != nil,
        lines[2] == "---"
      else { throw Fault(line: String(lines.prefix(3).joined()), reason: "no front matter") }
      lines = lines.dropFirst(3)
    }
    guard lines.popFirst() == "erDiagram" else { throw Fault(line: "", reason: "no erDiagram") }
    var check = MermaidCheck()
    for line in lines {
      if line.firstMatch(of: #/direction\s+(TB|BT|RL|LR)/#.ignoresCase()) != nil {
        throw Fault(line: String(line), reason: "a direction")
      }
      try check.read(line)
    }
    if check.isInBlock { throw Fault(line: "", reason: "a block is not closed") }
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
        throw Fault(line: String(line), reason: "no attribute")
      }
      for word in [match.1, match.2] where ["pk", "fk", "uk"].contains(word.lowercased()) {
        throw Fault(line: String(line), reason: "a key where a word is wanted")
      }
      return
    }
    let head = #/\ {4}([A-Za-z_][A-Za-z0-9_]*)(?:\["[^"%\\~]+"\])?(\ \{)?/#
    if let match = line.wholeMatch(of: head) {
      guard entities.insert(match.1).inserted else {
        throw Fault(line: String(line), reason: "an entity twice")
      }
      try checkWord(match.1, line)
      isInBlock = match.2 != nil
      return
    }
    let relation =
      #/\ {4}(\w+)\ (?:\|o|\|\||}o|}\|)(?:--|\.\.)(?:o\||\|\||o{|\|{)\ (\w+)\ :\ "[^"%\\~]+"/#
    guard let match = line.wholeMatch(of: relation) else {
      throw Fault(line: String(line), reason: "no statement")
    }
    guard entities.contains(match.1), entities.contains(match.2) else {
      throw Fault(line: String(line), reason: "an unknown entity")
    }
  }

  private func checkWord(_ word: Substring, _ line: Substring) throws {
    let statements = ["style", "class", "classdef", "end", "subgraph", "one", "many", "to", "zero"]
    if statements.contains(word.lowercased()) {
      throw Fault(line: String(line), reason: "a statement's word")
    }
  }
}
