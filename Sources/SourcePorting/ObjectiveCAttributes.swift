import SwiftSyntax

extension AttributeListSyntax.Element {
  /// Attributes that are errors without Objective-C; others that sound like it, such as `@nonobjc`, are not.
  private static let unportable: Set<String> = ["objc", "objcMembers", "IBOutlet"]

  var needsObjectiveC: Bool {
    guard case .attribute(let attribute) = self else { return false }
    return Self.unportable.contains(attribute.attributeName.trimmedDescription)
  }
}

extension AttributeListSyntax {
  /// The attributes, also those between `#if` and `#endif`.
  var everywhere: [AttributeSyntax] {
    flatMap { element -> [AttributeSyntax] in
      switch element {
      case .attribute(let attribute): [attribute]
      case .ifConfigDecl(let conditions):
        conditions.clauses.flatMap { clause -> [AttributeSyntax] in
          if case .attributes(let attributes) = clause.elements {
            attributes.everywhere
          } else {
            []
          }
        }
      }
    }
  }

  func has(_ name: String) -> Bool {
    everywhere.contains { $0.attributeName.trimmedDescription == name }
  }

  /// The name that `@objc(isDone)` gives.
  var objectiveCName: String? {
    everywhere.lazy.filter { $0.attributeName.trimmedDescription == "objc" }
      .compactMap { $0.arguments?.trimmedDescription }.first
  }
}
