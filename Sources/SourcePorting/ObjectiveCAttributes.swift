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

extension SyntaxProtocol {
  /// The name of the class that a node is in, or of the type that it extends.
  var enclosingType: String? {
    var node = parent
    while let current = node {
      if let type = current.as(ClassDeclSyntax.self) { return type.name.text }
      if let type = current.as(ExtensionDeclSyntax.self) { return type.extendedType.lastName }
      if current.isProtocol((any DeclGroupSyntax).self) { return nil }
      node = current.parent
    }
    return nil
  }
}

extension TypeSyntax {
  /// `Person` of `Shop.Person`, `Person?` and `Set<Person>`.
  var lastName: String? {
    if let type = self.as(OptionalTypeSyntax.self) { return type.wrappedType.lastName }
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      return type.wrappedType.lastName
    }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    guard let type = self.as(IdentifierTypeSyntax.self) else { return nil }
    guard type.name.text == "Set", let member = type.genericArgumentClause?.arguments.first else {
      return type.name.text
    }
    return member.argument.as(TypeSyntax.self)?.lastName
  }
}
