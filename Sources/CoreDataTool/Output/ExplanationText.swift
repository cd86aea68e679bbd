import CoreData
import StoreInspection

/// Formats the explanation of how a store would run a fetch: for people, or as JSON with one line per store.
enum ExplanationText {
  /// The maximum length of a value for people. JSON contains complete values.
  private static let longestValue = 200

  /// Returns the statement, its parameters and the plan as a tree.
  static func formatted(_ explanation: FetchExplanation) -> String {
    var lines = explanation.formattedSQL.split(separator: "\n").map { String($0).onOneLine }
    if !explanation.parameters.isEmpty {
      lines += ["", "parameters"]
      lines += table(of: explanation.parameters)
    }
    lines += ["", "plan"]
    addTree(explanation.plan, indentation: "", to: &lines)
    lines += ["", summary(explanation)]
    return lines.map { $0 + "\n" }.joined()
  }

  private static func table(of parameters: [FetchExplanation.Parameter]) -> [String] {
    TextColumns.aligned(
      parameters.enumerated().map { ["?\($0 + 1)", $1.typeName, shortened($1.literal)] })
  }

  private static func shortened(_ literal: String) -> String {
    if literal.count <= longestValue { return literal.onOneLine }
    return literal.prefix(longestValue).description.onOneLine
      + "… (\(CountText.grouped(literal.count)) characters)"
  }

  private static func addTree(
    _ steps: [FetchExplanation.Step], indentation: String, to lines: inout [String]
  ) {
    for (index, step) in steps.enumerated() {
      let isLast = index == steps.count - 1
      lines.append(indentation + (isLast ? "└─ " : "├─ ") + step.text.onOneLine)
      addTree(step.children, indentation: indentation + (isLast ? "   " : "│  "), to: &lines)
    }
  }

  /// Returns a summary of the plan: the indexes it uses, and the tables it reads completely.
  private static func summary(_ explanation: FetchExplanation) -> String {
    var parts: [String] = []
    let indexes = explanation.indexes
    if !indexes.isEmpty { parts.append("finds rows by \(indexes.joined(separator: ", "))") }
    let scans = explanation.scans
    if !scans.isEmpty { parts.append("reads every row of \(scans.joined(separator: ", "))") }
    return parts.isEmpty ? "reads no table" : parts.joined(separator: "; ").onOneLine
  }

  /// Returns one line: store, SQL, parameters with type and value, plan as a tree, indexes and scans.
  static func json(_ explanation: FetchExplanation) -> String {
    let parameters = explanation.parameters.map {
      #"{"type":"\#($0.typeName)","value":\#(json($0))}"#
    }
    let store = explanation.store.map { JSONText.quoted($0.path) } ?? "null"
    return #"{"store":\#(store),"sql":\#(JSONText.quoted(explanation.sql)),"#
      + #""parameters":[\#(parameters.joined(separator: ","))],"#
      + #""plan":\#(json(explanation.plan)),"#
      + #""indexes":\#(json(explanation.indexes)),"scans":\#(json(explanation.scans))}"# + "\n"
  }

  private static func json(_ texts: [String]) -> String {
    "[" + texts.map(JSONText.quoted).joined(separator: ",") + "]"
  }

  private static func json(_ steps: [FetchExplanation.Step]) -> String {
    "["
      + steps.map {
        let children = $0.children.isEmpty ? "" : #","steps":\#(json($0.children))"#
        return #"{"text":\#(JSONText.quoted($0.text))\#(children)}"#
      }.joined(separator: ",") + "]"
  }

  private static func json(_ parameter: FetchExplanation.Parameter) -> String {
    switch parameter {
    case .null: JSONWriter.text(of: .null)
    case .integer(let value): JSONWriter.text(of: .integer(value))
    case .real(let value): JSONWriter.text(of: .double(value))
    case .text(let value): JSONWriter.text(of: .text(value))
    case .blob(let value): JSONWriter.text(of: .data(value))
    }
  }
}
