import SwiftSyntax

/// The text that `#keyPath(Person.team.name)` stands for: `team.name`.
struct KeyPathText {
  let text: String

  /// - Returns: nil for what names no property.
  init?(_ node: MacroExpansionExprSyntax) {
    guard let argument = node.arguments.first?.expression, node.arguments.count == 1 else {
      return nil
    }
    var names: [String] = []
    var expression = ExprSyntax(argument)
    while let member = expression.as(MemberAccessExprSyntax.self) {
      names.insert(member.declName.baseName.text, at: 0)
      guard let base = member.base else { return nil }
      expression = base
    }
    guard let first = expression.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
    names.insert(first, at: 0)
    // Modules and types come first, and their names begin with capital letters.
    let keys = names.drop { $0 == "self" || $0 == "Self" || $0.first?.isUppercase == true }
    guard !keys.isEmpty else { return nil }
    text = keys.map { $0.trimmingBackticks }.joined(separator: ".")
  }
}

extension String {
  fileprivate var trimmingBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 1 ? String(dropFirst().dropLast()) : self
  }
}
