extension FetchExplanation {
  /// A step of the database's plan.
  public struct Step: Sendable {
    /// The database's description of the step, such as `SEARCH t0 USING INDEX Z_Person_byAge
    /// (ZAGE>?)`.
    ///
    /// It differs between versions of SQLite.
    public let text: String
    /// The steps that this one consists of, or that run for it.
    public let children: [Step]
    /// How the step reads a table; nil if it does not read one.
    public let access: Access?

    /// The step and all steps below it.
    package var all: [Step] { [self] + children.flatMap(\.all) }

    package init(text: String, children: [Step]) {
      self.text = text
      self.children = children
      access = Access(text)
    }
  }

  /// How rows of a table are found.
  ///
  /// ```swift
  /// for step in try context.explain(request).flatMap(\.steps) {
  ///   switch step.access {
  ///   case .search(let table, let index)?: print("finds rows of \(table) by \(index)")
  ///   case .scan(let table, _)?: print("reads all rows of \(table)")
  ///   case nil: print(step.text)
  ///   }
  /// }
  /// ```
  public enum Access: Sendable, Equatable {
    /// Reads some rows by an index. `table` is the name of the table in the statement.
    case search(table: String, index: String)
    /// Reads all rows, in the order of an index or, if that is nil, of the table.
    case scan(table: String, index: String?)
  }
}

extension FetchExplanation.Access {
  /// Parses a line of SQLite's plan.
  ///
  /// `SEARCH t0 USING [COVERING] INDEX name (…)`, `SEARCH t0 USING INTEGER PRIMARY KEY (…)`, `SCAN t0 [USING
  /// [COVERING] INDEX name]`; before SQLite 3.36 `TABLE name AS t0` instead of `t0`.
  package init?(_ line: String) {
    var words = line.split(separator: " ")[...]
    guard let verb = words.popFirst(), verb == "SEARCH" || verb == "SCAN" else { return nil }
    if words.first == "TABLE", words.count > 1 { words.removeFirst() }
    guard var table = words.popFirst(), table != "CONSTANT", table != "SUBQUERY" else {
      return nil
    }
    if words.first == "AS", words.count > 1 { table = words[words.startIndex + 1] }
    // The step reads the rows of a subquery (`(subquery-1)`) or of VALUES (`3 CONSTANT ROWS`), not a table.
    if table.hasPrefix("(") || words.first == "CONSTANT" { return nil }
    // A virtual table is not a table of rows: a function such as json_each reads its arguments, and an R-tree is an
    // index.
    if line.contains("VIRTUAL TABLE INDEX") { return nil }
    let index = Self.index(words)
    if verb == "SEARCH", let index {
      self = .search(table: String(table), index: index)
    } else {
      self = .scan(table: String(table), index: index)
    }
  }

  private static func index(_ words: ArraySlice<Substring>) -> String? {
    guard let using = words.firstIndex(of: "USING") else { return nil }
    let rest = words[(using + 1)...]
    if rest.first == "INTEGER" { return "INTEGER PRIMARY KEY" }
    if rest.first == "AUTOMATIC" { return "AUTOMATIC INDEX" }
    guard let place = rest.firstIndex(of: "INDEX"), place + 1 < rest.endIndex else { return nil }
    return String(rest[place + 1])
  }
}

/// Builds a tree from the lines of SQLite's plan, each of which contains its parent's number.
package struct PlanTree {
  private var lines: [(id: Int, parent: Int, text: String)] = []

  package init() {}

  package mutating func add(id: Int, parent: Int, text: String) { lines.append((id, parent, text)) }

  /// The top-level steps.
  package var steps: [FetchExplanation.Step] {
    // Children follow their parents, so in reverse order every child is complete when it is used.
    var children: [Int: [FetchExplanation.Step]] = [:]
    for line in lines.reversed() {
      let step = FetchExplanation.Step(
        text: line.text, children: (children.removeValue(forKey: line.id) ?? []).reversed())
      children[line.parent, default: []].append(step)
    }
    return (children[0] ?? []).reversed()
  }
}
