/// Reads the sources of a module and generates the accessors for their `@NSManaged` declarations.
struct SourceAccessors {
  let accessors: [Accessor]
  private let mirrors: [MirrorEnumeration]
  let table: TypeTable
  private let module: String
  private let imports: [ImportDeclaration]

  /// - Parameters:
  ///   - paths: The module's sources.
  ///   - dependencies: The modules with Swift sources that the module depends on.
  ///   - modelNames: The names of the properties in the models of the module.
  /// - Throws: ``SourceDiagnostic`` for a source that cannot be read; ``SourceErrors`` for types that cannot be
  ///   determined.
  init(
    module: String, paths: [String], dependencies: [TypeTable.ModuleSources],
    modelNames: Set<String> = []
  ) throws {
    let files = try paths.map { try SourceFile(contentsOf: $0, module: module) }
    try self.init(
      module: module, files: files, dependencies: dependencies, modelNames: modelNames)
  }

  init(
    module: String, files: [SourceFile], dependencies: [TypeTable.ModuleSources],
    modelNames: Set<String> = []
  ) throws {
    let declarations = files.map { DeclarationReader.read($0) }
    table = TypeTable(module: module, declarations, dependencies: dependencies)
    let builder = AccessorBuilder(table, declarations, modelNames: modelNames)
    guard builder.errors.isEmpty else { throw SourceErrors(list: builder.errors) }
    accessors = builder.accessors
    mirrors = builder.mirrors
    self.module = module
    let users = declarations.filter { !$0.properties.isEmpty || !$0.methods.isEmpty }
    let below = table.dependencyNames
    let named = builder.accessors.flatMap { accessor in
      accessor.modules.intersection(below).map { module in
        Self.declaration(of: module, accessor.conditions, among: declarations.flatMap(\.imports))
      }
    }
    imports = Self.merged(users.flatMap(\.imports) + named)
  }

  /// Returns an import of a module, public if one of the target's sources imports it publicly.
  private static func declaration(
    of module: String, _ conditions: [String], among imports: [ImportDeclaration]
  ) -> ImportDeclaration {
    let isPublic = imports.contains { $0.module == module && $0.isPublic }
    return ImportDeclaration(
      module: module,
      text: (isPublic ? "public " : "") + "import \(TypeSpelling.escaped(module))",
      conditions: conditions)
  }

  var text: String {
    AccessorWriter(module: module, imports: imports).text(accessors, mirrors: mirrors)
  }

  /// Removes duplicate imports. A public import also replaces the internal imports of the same module under the same
  /// conditions; without conditions, it replaces all internal imports of the module.
  private static func merged(_ imports: [ImportDeclaration]) -> [ImportDeclaration] {
    let all = Set(imports)
    func isRedundant(_ line: ImportDeclaration) -> Bool {
      let isInternal = ["import ", "internal import "].contains { line.text == $0 + line.module }
      return isInternal
        && [line.conditions, []].contains { conditions in
          all.contains(
            ImportDeclaration(
              module: line.module, text: "public import \(line.module)", conditions: conditions))
        }
    }
    func order(_ line: ImportDeclaration) -> (String, String, String) {
      (line.module, line.text, line.conditions.joined(separator: " "))
    }
    return all.filter { !isRedundant($0) }.sorted { order($0) < order($1) }
  }
}

/// Errors in the tool's input.
struct SourceErrors: Error, CustomStringConvertible {
  var list: [SourceDiagnostic]

  var description: String { list.map(\.description).joined(separator: "\n") }
}
