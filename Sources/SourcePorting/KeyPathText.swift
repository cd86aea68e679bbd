import SwiftSyntax

/// The text that `#keyPath(Person.team.name)` stands for: `team.name`.
struct KeyPathText {
  let text: String

  /// - Returns: nil for what is not known to name a property.
  init?(_ argument: ExprSyntax, in classes: ManagedClasses) {
    var names: [String] = []
    var expression = argument
    while let member = expression.as(MemberAccessExprSyntax.self) {
      names.insert(member.declName.baseName.text, at: 0)
      guard let base = member.base else { return nil }
      expression = base
    }
    guard let first = expression.as(DeclReferenceExprSyntax.self)?.baseName.text else { return nil }
    names.insert(first, at: 0)
    names = names.map(\.trimmingBackticks)
    var type = argument.enclosingType
    var keys: [String] = []
    for name in names {
      if let property = type.flatMap({ classes.property(name, of: $0) }) {
        keys.append(property.key)
        type = property.type
      } else if keys.isEmpty, name == "self" || name == "Self" {
        continue
      } else if keys.isEmpty, classes.isKnown(name) || name.looksLikeType {
        // Modules and types come first.
        type = name
      } else {
        keys.append(name)
        type = nil
      }
    }
    if keys.isEmpty { return nil }
    text = keys.joined(separator: ".")
  }
}

extension String {
  fileprivate var trimmingBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 1 ? String(dropFirst().dropLast()) : self
  }

  fileprivate var looksLikeType: Bool { drop { $0 == "_" }.first?.isUppercase == true }
}
