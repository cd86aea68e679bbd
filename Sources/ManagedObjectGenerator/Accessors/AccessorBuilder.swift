import SwiftSyntax

/// Generates the accessors for a module's `@NSManaged` declarations.
struct AccessorBuilder {
  private let resolver: TypeResolver
  private let spelling: TypeSpelling
  /// The names of the managed properties by the path of their class.
  private var properties: [String: Set<String>] = [:]
  /// The names of the properties of the target's models.
  private let modelNames: Set<String>
  private(set) var accessors: [Accessor] = []
  private(set) var errors: [SourceDiagnostic] = []

  init(_ table: TypeTable, _ files: [Declarations], modelNames: Set<String>) {
    self.modelNames = modelNames
    resolver = TypeResolver(table: table)
    spelling = TypeSpelling(table: table)
    // All properties come first, because a method's key is looked up among the properties of its class, which may be
    // in several files.
    for property in files.flatMap(\.properties) {
      let path = TypeResolver.Context(property.scope).path.joined(separator: ".")
      properties[path, default: []].insert(property.name.plainName)
    }
    for file in files {
      errors += file.errors
      for property in file.properties {
        add(made(in: property.scope, at: property.type) { try accessor(property) })
      }
      for method in file.methods {
        add(made(in: method.scope, at: method.declaration.name) { try accessor(method) })
      }
    }
  }

  /// The enumerations that replace private ones, which only their own file can see.
  var mirrors: [MirrorEnumeration] {
    resolver.table.ownEnumerations.compactMap(resolver.mirror).filter { mirror in
      accessors.contains { $0.mentions(mirror) }
    }
  }

  private mutating func add(_ result: Result<Accessor, SourceDiagnostic>) {
    switch result {
    case .success(var accessor):
      for index in accessor.functions.indices {
        // Overloads have the same name so far; the symbol, not this name, is what callers refer to.
        accessor.functions[index].name += "_\(accessors.count)"
      }
      accessors.append(accessor)
    case .failure(let error): errors.append(error)
    }
  }

  private func made(
    in scope: Scope, at node: some SyntaxProtocol, _ make: () throws -> Accessor
  ) -> Result<Accessor, SourceDiagnostic> {
    do {
      return .success(try make())
    } catch let error as UnknownType {
      // A node in another file belongs to the target of an alias, and has no location in this file.
      let isHere = error.node.root.id == Syntax(scope.file.tree).id
      return .failure(
        SourceDiagnostic(
          location: isHere ? scope.file.location(of: error.node) : scope.file.location(of: node),
          message: "'\(error.node.trimmedDescription)' \(error.reason);"
            + " @NSManaged needs a type that can be determined from the sources"))
    } catch let error as SourceDiagnostic {
      return .failure(error)
    } catch {
      return .failure(
        SourceDiagnostic(location: scope.file.location(of: node), message: "\(error)"))
    }
  }

  // MARK: Owners

  /// Returns the class of a declaration in three forms: for symbols, as source text, and as part of a function's name.
  private func owner(
    _ scope: Scope, for syntax: TypeSyntax
  ) throws -> (container: NominalType.Container, text: String, name: String) {
    let nominal = try resolver.owner(scope, for: syntax)
    let module = scope.file.module
    // The symbol of a member of another module's class contains the module of the extension.
    let container =
      nominal.module == module
      ? NominalType.Container.type(nominal) : .extension(of: nominal, module: module)
    // The generated file cannot refer to a private class. Its functions need only know that it is a managed object
    // class.
    let text = (try? spelling.text(nominal)) ?? "NSManagedObject"
    let name = ([module] + nominal.path.map(\.name)).map(Self.plain).joined(separator: "_")
    return (container, text, name)
  }

  /// Returns a name without characters that would need backticks.
  private static func plain(_ name: String) -> String {
    String(
      String.UnicodeScalarView(name.unicodeScalars.map { $0.properties.isXIDContinue ? $0 : "_" }))
  }

  private func discriminator(_ access: AccessLevel, _ scope: Scope) -> String? {
    // Inside a private type, the symbol of the type already contains the discriminator.
    access.isPrivate && !scope.isPrivate ? scope.file.discriminator : nil
  }

  private func spelled(_ type: CanonicalType, _ syntax: TypeSyntax) throws -> String {
    do {
      return try spelling.text(try resolver.visible(type))
    } catch let error as TypeSpelling.PrivateType {
      throw UnknownType(
        syntax,
        "uses '\(error.name)', which is visible only in its own file: make '\(error.name)' internal"
      )
    }
  }

  // MARK: Properties

  private func accessor(_ property: ManagedProperty) throws -> Accessor {
    let scope = property.scope
    let context = TypeResolver.Context(scope)
    let type = try resolver.type(property.type, in: context)
    let (container, ownerText, ownerName) = try owner(scope, for: property.type)
    let name = property.name.plainName
    let symbol = PropertySymbol(
      container: container, name: name, discriminator: discriminator(property.access, scope),
      type: type)
    let text = try spelled(type, property.type)
    let form = try ValueForm(
      type, named: name, rawType: rawType(of: type), modelNames: modelNames)
    let function = "_managed_\(ownerName)_\(Self.plain(name))"
    return Accessor(
      owner: ownerText, conditions: scope.conditions,
      key: Accessor.Key(name: property.objectiveCName ?? form.key, propertyName: name),
      modules: type.modules,
      functions: [
        Accessor.Function(
          symbol: Mangler.accessor(.getter, of: symbol), access: property.access,
          name: "\(function)_get", parameters: "", result: text, body: form.getter),
        Accessor.Function(
          symbol: Mangler.accessor(.setter, of: symbol), access: property.setterAccess,
          // A setter owns its value, but a method's parameter is borrowed by default.
          name: "\(function)_set", parameters: "_ value: __owned \(text)", result: nil,
          body: form.setter),
      ])
  }

  /// Returns the declared type of an enumeration's raw values; nil if there is none.
  private func rawType(of type: CanonicalType) throws -> CanonicalType? {
    guard case .nominal(let nominal, _) = type.unwrapped, nominal.kind == .enumeration,
      let declaration = try resolver.table.types(nominal.path.map(\.name), in: nominal.module)
        .first,
      case .nominal(_, let inherited) = declaration.shape, let first = inherited.first
    else { return nil }
    // Raw values have types of the standard library, so a type that cannot be determined is not one of them.
    guard let raw = try? resolver.type(first, in: TypeResolver.Context(declaration.scope)) else {
      return nil
    }
    // The first inherited type may be a protocol. Then the enumeration has no raw values.
    if case .existential = raw { return nil }
    return raw
  }

  // MARK: Methods

  private func accessor(_ method: ManagedMethod) throws -> Accessor {
    let scope = method.scope
    let declaration = method.declaration
    let context = TypeResolver.Context(scope)
    let name = declaration.name.plainName
    let signature = declaration.signature
    let whole = TypeSyntax(IdentifierTypeSyntax(name: declaration.name))
    let parameters = try signature.parameterClause.parameters.map { parameter in
      let label = parameter.firstName.plainName
      return (
        label: label == "_" ? nil : label, type: try resolver.type(parameter.type, in: context),
        syntax: parameter.type
      )
    }
    let result = try signature.returnClause.map { try resolver.type($0.type, in: context) } ?? .void
    let labels = parameters.map(\.label)
    guard
      let operation = method.selector.flatMap(MethodOperation.init(selector:))
        ?? MethodOperation(name: name, labels: labels)
    else {
      throw SourceDiagnostic(
        location: scope.file.location(of: declaration.name),
        message: "Core Data does not implement a method '\(name)'; it implements addTo…(_:),"
          + " removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:), replace…(at:with:),"
          + " primitive…() and setPrimitive…(_:)")
    }
    let (container, ownerText, ownerName) = try owner(scope, for: whole)
    let symbol = MethodSymbol(
      container: container, name: name, discriminator: discriminator(method.access, scope),
      parameters: parameters.map { .init(label: $0.label, type: $0.type) }, result: result,
      isThrowing: signature.effectSpecifiers?.throwsClause != nil)
    let path = context.path.joined(separator: ".")
    let key = operation.key(among: properties[path] ?? [])
    let texts = try parameters.map { try spelled($0.type, $0.syntax) }
    let resultText =
      result == .void ? nil : try spelled(result, signature.returnClause?.type ?? whole)
    return Accessor(
      owner: ownerText, conditions: scope.conditions,
      key: Accessor.Key(name: key, propertyName: key),
      modules: parameters.reduce(result.modules) { $0.union($1.type.modules) },
      functions: [
        Accessor.Function(
          symbol: Mangler.method(symbol), access: method.access,
          name: "_managed_\(ownerName)_\(Self.plain(name))",
          parameters: texts.enumerated().map { "_ value\($0): \($1)" }.joined(separator: ", "),
          result: resultText,
          body: try body(operation, parameters.map(\.type), method))
      ])
  }

  private func body(
    _ operation: MethodOperation, _ types: [CanonicalType], _ method: ManagedMethod
  ) throws -> String {
    func indexes(_ number: Int) -> String {
      types[number] == .standard("Int") ? "[value\(number)]" : "IndexSet(value\(number))"
    }
    switch (operation.kind, types.count) {
    case (.add, 1): return "addManagedMembers(value0, $key)"
    case (.remove, 1): return "removeManagedMembers(value0, $key)"
    case (.insert, 2): return "insertManagedMembers(value0, at: \(indexes(1)), $key)"
    case (.removeAtIndexes, 1): return "removeManagedMembers(at: \(indexes(0)), $key)"
    case (.replaceAtIndexes, 2):
      return "replaceManagedMembers(at: \(indexes(0)), with: value1, $key)"
    case (.primitiveValue, 0): return "requiredPrimitiveValue($key)"
    case (.setPrimitiveValue, 1): return "setPrimitiveValue(value0, $key)"
    default:
      let declaration = method.declaration
      throw SourceDiagnostic(
        location: method.scope.file.location(of: declaration.name),
        message:
          "the parameters of '\(declaration.name.text)' differ from those of Core Data's method"
          + " of that name")
    }
  }
}
