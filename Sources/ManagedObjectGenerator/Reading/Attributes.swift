import SwiftSyntax

extension AttributeListSyntax {
  /// The attributes, those of `#if` included: `@objc` mostly stands in one.
  private var everyAttribute: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      switch element {
      case .attribute(let attribute): [attribute]
      case .ifConfigDecl(let conditional):
        conditional.clauses.flatMap { clause -> [AttributeSyntax] in
          guard case .attributes(let list)? = clause.elements else { return [] }
          return list.everyAttribute
        }
      }
    }
  }

  private func attribute(named name: String) -> AttributeSyntax? {
    everyAttribute.first { $0.attributeName.trimmedDescription == name }
  }

  /// Whether the declaration is marked `@NSManaged`.
  var hasManagedMark: Bool { attribute(named: "NSManaged") != nil }

  /// The name or selector in `@objc(…)`.
  var objectiveCName: String? {
    guard let arguments = attribute(named: "objc")?.arguments else { return nil }
    let text = arguments.trimmedDescription
    return text.isEmpty ? nil : text
  }
}
