import SourceReading
import SwiftSyntax

/// Finds the types and the `@NSManaged` declarations in a source.
final class DeclarationReader: SyntaxVisitor {
  private var declarations = Declarations()
  private var scope: Scope
  private var outerScopes: [Scope] = []

  /// Returns the declarations in a source that the generator needs.
  static func read(_ file: SourceFile) -> Declarations {
    let reader = DeclarationReader(file)
    reader.walk(file.tree)
    return reader.declarations
  }

  private init(_ file: SourceFile) {
    scope = Scope(file: file)
    super.init(viewMode: .sourceAccurate)
    declarations.path = file.path
  }

  private func enter(_ change: (inout Scope) -> Void) {
    outerScopes.append(scope)
    change(&scope)
  }

  private func leave() {
    if let outer = outerScopes.popLast() { scope = outer }
  }

  // MARK: Types

  private func enterType(
    _ kind: NominalType.Kind, _ node: some DeclGroupSyntax & NamedDeclSyntax,
    generics: GenericParameterClauseSyntax?
  ) -> SyntaxVisitorContinueKind {
    let access = AccessLevel(node.modifiers) ?? scope.defaultAccess
    let parameters = generics?.parameters.map(\.name.plainName) ?? []
    if !scope.isLocal {
      declarations.types.append(
        TypeDeclaration(
          name: node.name.plainName,
          shape: .nominal(
            kind, inherited: node.inheritanceClause?.inheritedTypes.map(\.type) ?? []),
          scope: scope, access: access, genericParameters: parameters,
          objectiveCName: node.attributes.objectiveCName, cases: Self.cases(of: node)))
    }
    enter { scope in
      scope.levels.append(
        Scope.Level(
          // Members of a private type are visible in its file; those of a public type are internal.
          names: [node.name.plainName], memberAccess: min(max(access, .fileprivate), .internal),
          genericParameters: parameters, isPrivate: access.isPrivate))
    }
    return .visitChildren
  }

  private static func cases(of node: some DeclGroupSyntax) -> [String] {
    // An enumeration with associated values has no raw values, so the generator writes no mirror of it
    // (`MirrorEnumeration`).
    cases(among: node.memberBlock.members) ?? []
  }

  /// Returns the lines with the cases among members; nil if one of them has associated values.
  private static func cases(among members: MemberBlockItemListSyntax) -> [String]? {
    var lines: [String] = []
    for member in members {
      if let line = member.decl.as(EnumCaseDeclSyntax.self) {
        if line.elements.contains(where: { $0.parameterClause != nil }) { return nil }
        lines.append(line.trimmedDescription)
      } else if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        guard let inner = cases(in: conditional) else { return nil }
        lines += inner
      }
    }
    return lines
  }

  /// Returns the lines with conditional cases and their conditions. The mirror needs both, because each case affects
  /// the implicit raw values of those after it.
  private static func cases(in conditional: IfConfigDeclSyntax) -> [String]? {
    var lines: [String] = []
    var hasCases = false
    for clause in conditional.clauses {
      let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
      lines.append(clause.poundKeyword.text + condition)
      guard case .decls(let members)? = clause.elements else { continue }
      guard let inner = cases(among: members) else { return nil }
      lines += inner
      hasCases = hasCases || !inner.isEmpty
    }
    return hasCases ? lines + ["#endif"] : []
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(.class, node, generics: node.genericParameterClause)
  }
  override func visitPost(_ node: ClassDeclSyntax) { leave() }

  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(.class, node, generics: node.genericParameterClause)
  }
  override func visitPost(_ node: ActorDeclSyntax) { leave() }

  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(.structure, node, generics: node.genericParameterClause)
  }
  override func visitPost(_ node: StructDeclSyntax) { leave() }

  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(.enumeration, node, generics: node.genericParameterClause)
  }
  override func visitPost(_ node: EnumDeclSyntax) { leave() }

  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(.protocol, node, generics: nil)
  }
  override func visitPost(_ node: ProtocolDeclSyntax) { leave() }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    // The members of a private extension are visible in the whole file.
    let access = AccessLevel(node.modifiers).map { max($0, .fileprivate) } ?? .internal
    if let inherited = node.inheritanceClause, let path = node.extendedType.path {
      declarations.conformances.append(
        (scope.path + path, inherited.inheritedTypes.map(\.type)))
    }
    enter { scope in
      scope.levels.append(
        Scope.Level(
          names: node.extendedType.path ?? [], extended: node.extendedType, memberAccess: access,
          genericParameters: [], isPrivate: false))
    }
    return .visitChildren
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { leave() }

  override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
    if !scope.isLocal {
      declarations.types.append(
        TypeDeclaration(
          name: node.name.plainName, shape: .alias(node.initializer.value), scope: scope,
          access: AccessLevel(node.modifiers) ?? scope.defaultAccess,
          genericParameters: node.genericParameterClause?.parameters.map(\.name.plainName) ?? []))
    }
    return .skipChildren
  }

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    if let module = node.path.first?.name.plainName {
      declarations.imports.append(
        ImportDeclaration(
          module: module, text: node.trimmedDescription, conditions: scope.conditions))
    }
    return .skipChildren
  }

  // MARK: Conditions

  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    var before: [String] = []
    for clause in node.clauses {
      let state = clause.condition.map(CompilationCondition.init) ?? .holds
      if state != .fails, let elements = clause.elements {
        let own =
          clause.condition.map { state == .holds ? [] : ["(\($0.trimmedDescription))"] } ?? []
        enter { $0.conditions += before.map { "!\($0)" } + own }
        walk(elements)
        leave()
      }
      if state == .holds { break }
      if state == .unknown, let condition = clause.condition {
        before.append("(\(condition.trimmedDescription))")
      }
    }
    return .skipChildren
  }

  // MARK: Members

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard node.attributes.has("NSManaged") else { return .visitChildren }
    guard isInType(node) else { return .skipChildren }
    let access = AccessLevel(node.modifiers) ?? scope.defaultAccess
    // `var first, last: String`: a name without a type has the type of the next name that has one.
    var type: TypeSyntax?
    for binding in node.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? type
      guard let type, let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
        continue
      }
      declarations.properties.append(
        ManagedProperty(
          name: name, type: type, scope: scope, access: access,
          setterAccess: min(access, AccessLevel.ofSetter(node.modifiers) ?? access),
          // One name cannot be that of several properties.
          objectiveCName: node.bindings.count == 1 ? node.attributes.objectiveCName : nil))
    }
    return .skipChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    guard node.attributes.has("NSManaged") else { return .visitChildren }
    guard isInType(node) else { return .skipChildren }
    declarations.methods.append(
      ManagedMethod(
        declaration: node, scope: scope, access: AccessLevel(node.modifiers) ?? scope.defaultAccess,
        selector: node.attributes.objectiveCName))
    return .skipChildren
  }

  // MARK: Code

  // The bodies of functions and of statements.
  override func visit(_ node: CodeBlockSyntax) -> SyntaxVisitorContinueKind { enterCode() }
  override func visitPost(_ node: CodeBlockSyntax) { leave() }
  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind { enterCode() }
  override func visitPost(_ node: SwitchCaseSyntax) { leave() }
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { enterCode() }
  override func visitPost(_ node: ClosureExprSyntax) { leave() }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind { enterCode() }
  override func visitPost(_ node: AccessorBlockSyntax) { leave() }

  private func enterCode() -> SyntaxVisitorContinueKind {
    enter { $0.isLocal = true }
    // `@NSManaged` members of local classes are errors. Nothing else in the code is needed.
    return scope.file.mentionsManaged ? .visitChildren : .skipChildren
  }

  /// Returns whether an `@NSManaged` declaration is a member of a type outside functions and other code. Records an
  /// error if it is inside code.
  private func isInType(_ node: some SyntaxProtocol) -> Bool {
    if scope.isLocal {
      declarations.errors.append(
        SourceDiagnostic(
          location: scope.file.location(of: node),
          message: "@NSManaged does not work in a class inside a function or another block of code;"
            + " move the class out of it"))
      return false
    }
    return !scope.levels.isEmpty
  }
}

extension TypeSyntax {
  /// The names of a type that is written as names separated by dots; nil for other types.
  var path: [String]? {
    if let name = self.as(IdentifierTypeSyntax.self) { return [name.name.plainName] }
    if let member = self.as(MemberTypeSyntax.self) {
      return member.baseType.path.map { $0 + [member.name.plainName] }
    }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.path }
    return nil
  }
}
