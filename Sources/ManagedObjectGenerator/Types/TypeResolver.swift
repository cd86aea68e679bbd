import SwiftSyntax

/// Determines the type that a type expression in a source refers to.
///
/// It searches where the compiler does: the enclosing types, their superclasses, the module, its dependencies, and the
/// system's modules.
struct TypeResolver {
  let table: TypeTable

  /// Where the lookup of a name starts.
  struct Context {
    var module: String
    /// The names on the path to the innermost enclosing type.
    var path: [String]
    var file: SourceFile
    /// The types bound to the generic parameters of an alias.
    var bindings: [String: CanonicalType] = [:]
    /// Whether the name is that of a class in a model. A model does not say which module declares a class; the
    /// generated file will import that module.
    var isOfModel = false
    /// The aliases and classes whose targets and superclasses are being resolved.
    private var open: Set<String> = []

    init(_ scope: Scope) {
      module = scope.file.module
      path = TypeTable.withoutModule(scope.path, module)
      file = scope.file
    }

    /// Returns the context for resolving an alias's target or a class's superclass; nil if the declaration refers to
    /// itself, which happens only in sources that do not compile.
    func inside(_ declaration: TypeDeclaration) -> Context? {
      var inside = Context(declaration.scope)
      inside.open = open
      let name = declaration.path.joined(separator: ".")
      let isNew = inside.open.insert("\(declaration.scope.file.path): \(name)").inserted
      return isNew ? inside : nil
    }
  }

  /// Returns the type that a type expression refers to.
  ///
  /// - Throws: ``UnknownType`` if it cannot be determined from the sources; ``SourceDiagnostic`` for a dependency's
  ///   source that cannot be read; ``SourceErrors`` for its model.
  func type(_ syntax: TypeSyntax, in context: Context) throws -> CanonicalType {
    switch syntax.as(TypeSyntaxEnum.self) {
    case .identifierType(let name):
      return try named(
        name.name.plainName, try arguments(name.genericArgumentClause, context), in: context,
        for: syntax)
    case .memberType(let member):
      return try self.member(member, in: context)
    case .optionalType(let optional):
      return .optional(try type(optional.wrappedType, in: context))
    // In mangled symbols, an implicitly unwrapped optional is an optional.
    case .implicitlyUnwrappedOptionalType(let optional):
      return .optional(try type(optional.wrappedType, in: context))
    case .arrayType(let array):
      return .standard("Array", .structure, try type(array.element, in: context))
    case .dictionaryType(let dictionary):
      return .standard(
        "Dictionary", .structure, try type(dictionary.key, in: context),
        try type(dictionary.value, in: context))
    case .tupleType(let tuple):
      return try self.tuple(tuple, in: context)
    case .someOrAnyType(let existential)
    where existential.someOrAnySpecifier.tokenKind == .keyword(.any):
      return try type(existential.constraint, in: context)
    case .compositionType(let composition):
      return try existential(composition.elements.map(\.type), in: context, for: syntax)
    case .attributedType(let attributed):
      return try type(attributed.baseType, in: context)
    default:
      throw UnknownType(
        syntax, "is not a kind of type that a property of a managed object can have")
    }
  }

  private func arguments(
    _ clause: GenericArgumentClauseSyntax?, _ context: Context
  ) throws -> [CanonicalType] {
    try clause?.arguments.map { argument in
      guard case .type(let type) = argument.argument else {
        throw UnknownType(
          argument, "is not a kind of type that a property of a managed object can have")
      }
      return try self.type(type, in: context)
    } ?? []
  }

  private func tuple(_ syntax: TupleTypeSyntax, in context: Context) throws -> CanonicalType {
    // Parentheses around one type make no tuple.
    if syntax.elements.count == 1, let only = syntax.elements.first {
      return try type(only.type, in: context)
    }
    return .tuple(
      try syntax.elements.map { element in
        let label = element.firstName?.plainName
        return .init(
          label: label == "_" ? nil : label, type: try type(element.type, in: context))
      })
  }

  private func existential(
    _ parts: [TypeSyntax], in context: Context, for syntax: TypeSyntax
  ) throws -> CanonicalType {
    var protocols: Set<NominalType> = []
    var superclass: CanonicalType?
    var isAnyObject = false
    for part in parts {
      switch try type(part, in: context) {
      case .existential(let some, let someClass, let isObject):
        protocols.formUnion(some)
        superclass = superclass ?? someClass
        isAnyObject = isAnyObject || isObject
      case .nominal(let nominal, _) where nominal.kind != .class:
        throw UnknownType(part, "is not a protocol")
      case let type: superclass = type
      }
    }
    return .existential(
      protocols.sorted { $0.isBefore($1) }, superclass: superclass, isAnyObject: isAnyObject)
  }

  // MARK: Names

  private func named(
    _ name: String, _ arguments: [CanonicalType], in context: Context, for syntax: TypeSyntax
  ) throws -> CanonicalType {
    if let bound = context.bindings[name] { return bound }
    // Like the compiler, search from the innermost type outwards.
    for length in stride(from: context.path.count, to: 0, by: -1) {
      let outer = Array(context.path.prefix(length))
      let around = try table.types(outer, in: context.module)
      if around.contains(where: { $0.genericParameters.contains(name) }) {
        throw UnknownType(
          syntax, "is a generic parameter; a class of managed objects cannot be generic")
      }
      if let found = try member(name, of: outer, in: context.module, from: context) {
        return try canonical(found, arguments, outer: nil, in: context, for: syntax)
      }
    }
    if let found = try choice(try table.types([name], in: context.module), context.file, syntax) {
      return try canonical(found, arguments, outer: nil, in: context, for: syntax)
    }
    switch name {
    case "Any": return .any
    case "AnyObject": return .existential([], superclass: nil, isAnyObject: true)
    default: break
    }
    if let found = try choice(try below(name, from: context), context.file, syntax) {
      return try canonical(found, arguments, outer: nil, in: context, for: syntax)
    }
    return try known([name], arguments, outer: nil, for: syntax)
  }

  /// Returns the types that a dependency declares with a name.
  private func below(_ name: String, from context: Context) throws -> [TypeDeclaration] {
    let file = context.file
    if KnownTypes.isOfStandardLibrary(name) {
      guard table.mayDeclareBelow(name) else { return [] }
      // The compiler prefers the type of any imported module to that of the standard library.
      let imported = try table.below([name], seenFrom: file, onlyImported: true)
      if !imported.isEmpty || !context.isOfModel { return imported }
      return try table.below([name], seenFrom: file).filter {
        if case .nominal(.class, _) = $0.shape { true } else { false }
      }
    }
    // A dependency's type that has the name of another known type, such as a type of Foundation, would be ambiguous. So
    // the sources of the dependencies need not be read for such a name.
    return try KnownTypes.isKnown(name) ? [] : table.below([name], seenFrom: file)
  }

  private func known(
    _ path: [String], _ arguments: [CanonicalType], outer: [[CanonicalType]]?,
    for syntax: TypeSyntax
  ) throws -> CanonicalType {
    if path.count == 1, let type = KnownTypes.alias(named: path[0]) { return type }
    guard let entry = KnownTypes.type(named: path) else {
      throw UnknownType(
        syntax, "is not declared in this target, its dependencies or Foundation")
    }
    try require(entry.genericParameterCount, arguments, for: syntax)
    return finished(entry.type, arguments, outer: outer)
  }

  /// Resolves `Base.Name`, where the base is a module or a type.
  private func member(_ syntax: MemberTypeSyntax, in context: Context) throws -> CanonicalType {
    let name = syntax.name.plainName
    let arguments = try arguments(syntax.genericArgumentClause, context)
    let whole = TypeSyntax(syntax)
    if let base = syntax.baseType.as(IdentifierTypeSyntax.self),
      table.isModule(base.name.plainName),
      try choice(try table.types([base.name.plainName], in: context.module), context.file, whole)
        == nil
    {
      let module = base.name.plainName
      if let found = try choice(try table.types([name], in: module), context.file, whole) {
        return try canonical(found, arguments, outer: nil, in: context, for: whole)
      }
      return try known([name], arguments, outer: nil, for: whole)
    }
    guard
      case .nominal(let outer, let outerArguments) = try type(syntax.baseType, in: context)
    else { throw UnknownType(whole, "is a member of a type that has no members") }
    let path = outer.path.map(\.name)
    let modules = [outer.module, context.module] + table.dependencyNames
    for module in modules {
      if let found = try member(name, of: path, in: module, from: context) {
        return try canonical(found, arguments, outer: outerArguments, in: context, for: whole)
      }
    }
    return try known(path + [name], arguments, outer: outerArguments, for: whole)
  }

  /// Returns the type with a given name that is declared inside a type or one of its superclasses.
  private func member(
    _ name: String, of path: [String], in module: String, from context: Context
  ) throws -> TypeDeclaration? {
    var path = path
    var module = module
    var seen: Set<String> = []
    // In sources that do not compile, a class may be its own ancestor.
    while seen.insert("\(module).\(path.joined(separator: "."))").inserted {
      if let found = try choice(try table.types(path + [name], in: module), context.file, nil) {
        return found
      }
      guard let owner = try table.types(path, in: module).first,
        case .nominal(.class, let inherited) = owner.shape,
        let first = inherited.first, let inside = context.inside(owner),
        case .nominal(let above, _)? = try? type(first, in: inside), above.kind == .class
      else { return nil }
      path = above.path.map(\.name)
      module = above.module
    }
    return nil
  }

  /// Returns the declaration that a file can see; the first one if several under different build conditions are of the
  /// same kind.
  private func choice(
    _ candidates: [TypeDeclaration], _ file: SourceFile, _ syntax: TypeSyntax?
  ) throws -> TypeDeclaration? {
    let visible = candidates.filter { candidate in
      !(candidate.access.isPrivate || candidate.scope.isPrivate)
        || candidate.scope.file.path == file.path
    }
    guard visible.count > 1, let syntax else { return visible.first }
    let isOne = visible.allSatisfy { candidate in
      guard case .nominal(let kind, _) = candidate.shape,
        case .nominal(let first, _) = visible[0].shape
      else { return false }
      return kind == first
    }
    guard isOne else {
      throw UnknownType(syntax, "has several declarations under different build conditions")
    }
    return visible.first
  }

  // MARK: From declarations to types

  /// - Throws: ``UnknownType`` unless a type has as many generic arguments as parameters.
  private func require(
    _ parameterCount: Int, _ arguments: [CanonicalType], for syntax: TypeSyntax
  ) throws {
    guard parameterCount == arguments.count else {
      throw UnknownType(
        syntax, "needs \(parameterCount) generic argument\(parameterCount == 1 ? "" : "s")")
    }
  }

  private func canonical(
    _ declaration: TypeDeclaration, _ arguments: [CanonicalType], outer: [[CanonicalType]]?,
    in context: Context, for syntax: TypeSyntax
  ) throws -> CanonicalType {
    try require(declaration.genericParameters.count, arguments, for: syntax)
    switch declaration.shape {
    case .nominal:
      let nominal = try self.nominal(declaration, for: syntax)
      return finished(nominal, arguments, outer: outer)
    case .alias(let target):
      guard var inside = context.inside(declaration) else {
        throw UnknownType(syntax, "is an alias of itself")
      }
      for (parameter, argument) in zip(declaration.genericParameters, arguments) {
        inside.bindings[parameter] = argument
      }
      do {
        return try type(target, in: inside)
      } catch let error as UnknownType {
        throw UnknownType(
          syntax, "is an alias of '\(target.trimmedDescription)', which \(error.reason)")
      }
    }
  }

  private func finished(
    _ nominal: NominalType, _ arguments: [CanonicalType], outer: [[CanonicalType]]?
  ) -> CanonicalType {
    if nominal.kind == .protocol {
      // `Copyable` and `Escapable` do not occur in symbols, because all types conform to them by default.
      let isEverything =
        nominal.container == .module("Swift") && ["Copyable", "Escapable"].contains(nominal.name)
      return .existential(isEverything ? [] : [nominal], superclass: nil, isAnyObject: false)
    }
    if nominal.name == "Optional", nominal.container == .module("Swift"), arguments.count == 1 {
      return .optional(arguments[0])
    }
    var levels = outer ?? []
    while levels.count < nominal.path.count - 1 { levels.append([]) }
    levels.append(arguments)
    return .nominal(nominal, arguments: levels.allSatisfy(\.isEmpty) ? [] : levels)
  }

  /// Returns a declared type as it occurs in mangled symbols.
  func nominal(_ declaration: TypeDeclaration, for syntax: TypeSyntax) throws -> NominalType {
    guard case .nominal(let kind, _) = declaration.shape else {
      throw UnknownType(syntax, "is an alias")
    }
    let file = declaration.scope.file
    let container: NominalType.Container
    if declaration.scope.levels.isEmpty {
      container = .module(file.module)
    } else {
      let outer = try owner(declaration.scope, for: syntax)
      container =
        outer.module == file.module ? .type(outer) : .extension(of: outer, module: file.module)
    }
    return NominalType(
      declaration.name, kind, in: container,
      discriminator: declaration.hasDiscriminator ? file.discriminator : nil)
  }

  /// Returns the innermost type that encloses a declaration.
  func owner(_ scope: Scope, for syntax: TypeSyntax) throws -> NominalType {
    let context = Context(scope)
    if let found = try choice(
      try table.types(context.path, in: context.module), scope.file, syntax),
      case .nominal = found.shape
    {
      return try nominal(found, for: syntax)
    }
    // Otherwise, the scope is an extension of an alias, or of a type of another module.
    guard let extended = scope.levels.last?.extended else {
      throw UnknownType(syntax, "is nested in a type that cannot be found")
    }
    var outside = scope
    outside.levels = []
    guard case .nominal(let nominal, _) = try type(extended, in: Context(outside)) else {
      throw UnknownType(extended, "cannot be extended")
    }
    return nominal
  }
}
