import SwiftSyntax

extension TypeResolver {
  /// Returns a type with the same memory layout that other files can see. For a class that only its own file can see,
  /// that is its superclass or AnyObject; for such an enumeration with raw values, its ``MirrorEnumeration``.
  func visible(_ type: CanonicalType) throws -> CanonicalType { try visible(type, below: []) }

  /// - Parameter classes: The subclasses through which the search reached the type. They end the search if a class is
  ///   its own ancestor, which is possible in sources that do not compile.
  private func visible(
    _ type: CanonicalType, below classes: Set<NominalType>
  ) throws -> CanonicalType {
    switch type {
    case .optional(let wrapped): return .optional(try visible(wrapped))
    case .tuple(let elements):
      return .tuple(
        try elements.map { .init(label: $0.label, type: try visible($0.type)) })
    case .nominal(let nominal, let arguments):
      if nominal.kind == .class, nominal.path.contains(where: { $0.discriminator != nil }) {
        if classes.contains(nominal) { return Self.anyObject }
        return try visible(above(nominal), below: classes.union([nominal]))
      }
      if let declaration = try hiddenEnumeration(nominal) {
        return .nominal(
          NominalType(mirrorName(declaration), .enumeration, in: .module(table.module)),
          arguments: [])
      }
      return .nominal(nominal, arguments: try arguments.map { try $0.map(visible) })
    case .existential: return type
    }
  }

  private func hiddenEnumeration(_ nominal: NominalType) throws -> TypeDeclaration? {
    guard nominal.kind == .enumeration, nominal.module == table.module,
      let hidden = nominal.path.first(where: { $0.discriminator != nil })
    else { return nil }
    return try table.types(nominal.path.map(\.name), in: nominal.module).first {
      $0.scope.file.discriminator == hidden.discriminator && !$0.cases.isEmpty
    }
  }

  private func mirrorName(_ declaration: TypeDeclaration) -> String {
    "_Managed_\(declaration.path.joined(separator: "_"))_\(declaration.scope.file.discriminator)"
  }

  /// Returns the mirror of an enumeration that only its own file can see; nil for one without raw values.
  func mirror(for declaration: TypeDeclaration) -> MirrorEnumeration? {
    guard case .nominal(.enumeration, let inherited) = declaration.shape,
      !declaration.cases.isEmpty, let raw = inherited.first?.trimmedDescription
    else { return nil }
    let name = mirrorName(declaration)
    let lines = declaration.cases.map { "  \($0)\n" }.joined()
    return MirrorEnumeration(
      name: name, declaration: "\nenum \(name): \(raw) {\n\(lines)}\n",
      original: declaration.path.joined(separator: "."),
      location: inherited.first.map(declaration.scope.file.location)
        ?? .init(file: declaration.scope.file.path))
  }

  private static let anyObject = CanonicalType.existential(
    [], superclass: nil, isAnyObject: true)

  private func above(_ nominal: NominalType) throws -> CanonicalType {
    guard
      let declaration = try table.types(nominal.path.map(\.name), in: nominal.module).first,
      case .nominal(.class, let inherited) = declaration.shape, let first = inherited.first,
      case .nominal(let above, let arguments) =
        try type(first, in: Context(declaration.scope)), above.kind == .class
    else { return Self.anyObject }
    return .nominal(above, arguments: arguments)
  }
}
