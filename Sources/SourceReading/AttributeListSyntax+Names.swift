package import SwiftSyntax

extension AttributeListSyntax {
  /// The attributes, including those inside `#if`, which often surrounds `@objc`.
  private var everywhere: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      switch element {
      case .attribute(let attribute): [attribute]
      case .ifConfigDecl(let conditional):
        conditional.clauses.flatMap { clause -> [AttributeSyntax] in
          guard case .attributes(let list)? = clause.elements else { return [] }
          return list.everywhere
        }
      }
    }
  }

  package func has(_ name: String) -> Bool {
    everywhere.contains { $0.attributeName.trimmedDescription == name }
  }

  /// The name or selector in `@objc(…)`.
  package var objectiveCName: String? {
    everywhere.lazy.filter { $0.attributeName.trimmedDescription == "objc" }
      .compactMap { $0.arguments?.trimmedDescription }.first { !$0.isEmpty }
  }
}
