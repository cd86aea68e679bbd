import SwiftSyntax

extension SyntaxProtocol {
  /// The nodes that enclose a node, from the inside out.
  var ancestors: some Sequence<Syntax> { sequence(first: Syntax(self), next: \.parent).dropFirst() }

  /// The type or extension that contains the node as a member or inside one.
  var memberGroup: (any DeclGroupSyntax)? {
    ancestors.lazy.compactMap { $0.asProtocol((any DeclGroupSyntax).self) }.first
  }

  /// The name of the enclosing class, or of the type that the enclosing extension extends.
  var enclosingType: String? {
    guard let group = memberGroup else { return nil }
    return group.as(ClassDeclSyntax.self)?.name.text
      ?? group.as(ExtensionDeclSyntax.self)?.extendedType.lastName
  }

  /// The name of the enclosing type of any kind, or of the type that the enclosing extension extends.
  var nominalType: String? {
    memberGroup?.asProtocol((any NamedDeclSyntax).self)?.name.text ?? enclosingType
  }

  /// The extension that the node is a member of.
  var extensionAround: ExtensionDeclSyntax? { memberGroup?.as(ExtensionDeclSyntax.self) }
}

extension TypeSyntax {
  /// `Person` for `Shop.Person`, `Person?` and `Set<Person>`.
  var lastName: String? {
    if let type = wrappedType { return type.lastName }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    guard let type = self.as(IdentifierTypeSyntax.self) else { return nil }
    guard type.name.text == "Set", let member = type.genericArgumentClause?.arguments.first else {
      return type.name.text
    }
    return member.argument.as(TypeSyntax.self)?.lastName
  }

  /// The type that a key path continues with: `lastName`, and `Person` for `[Person]`.
  var destination: String? {
    if let type = wrappedType { return type.destination }
    return self.as(ArrayTypeSyntax.self)?.element.destination ?? lastName
  }

  /// `Person` for `Shop.Person` and `Person?`, but `Set` for `Set<Person>`.
  var plainName: String? {
    if let type = wrappedType { return type.plainName }
    if let type = self.as(AttributedTypeSyntax.self) { return type.baseType.plainName }
    if let type = self.as(SomeOrAnyTypeSyntax.self) { return type.constraint.plainName }
    if self.is(ArrayTypeSyntax.self) { return "Array" }
    if self.is(DictionaryTypeSyntax.self) { return "Dictionary" }
    if let type = self.as(MemberTypeSyntax.self) { return type.name.text }
    return self.as(IdentifierTypeSyntax.self)?.name.text
  }

  /// The wrapped type of an optional.
  private var wrappedType: TypeSyntax? {
    self.as(OptionalTypeSyntax.self)?.wrappedType
      ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType
  }
}

extension ExprSyntax {
  /// The type that an initializer call creates: `Team` for `Team(context: context)` and `Shop.Team()`.
  var madeType: String? {
    guard let name = self.as(FunctionCallExprSyntax.self)?.calledExpression else { return nil }
    if let member = name.as(MemberAccessExprSyntax.self), let base = member.base {
      let text = member.declName.baseName.text
      if text.looksLikeType { return text }
      guard text == "init" else { return nil }
      let type =
        base.as(MemberAccessExprSyntax.self)?.declName ?? base.as(DeclReferenceExprSyntax.self)
      return (type?.baseName.text).flatMap { $0.looksLikeType ? $0 : nil }
    }
    guard let text = name.as(DeclReferenceExprSyntax.self)?.baseName.text, text.looksLikeType
    else { return nil }
    return text
  }
}

extension String {
  var withoutBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 1 ? String(dropFirst().dropLast()) : self
  }

  /// Whether it begins with a capital letter, as types do.
  var looksLikeType: Bool { drop { $0 == "_" }.first?.isUppercase == true }
}
