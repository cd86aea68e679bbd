import SwiftSyntax

/// The types that the sources of a module and of its dependencies declare.
final class TypeTable {
  let module: String
  private var declarations: [String: [String: [TypeDeclaration]]] = [:]
  private let dependencies: [ModuleSources]
  private var unreadDependencies: [ModuleSources]
  /// The conformances that extensions add to the module's own types, by path.
  private var conformances: [String: [TypeSyntax]] = [:]
  /// The imports of each file that was read, by path.
  private var imports: [String: [ImportDeclaration]] = [:]
  /// The modules that each module re-exports.
  private var exports: [String: Set<String>] = [:]
  /// The models of dependencies that were read, by path.
  private var modelsBelow: [String: SourceModel] = [:]
  /// The words in the dependencies' sources that may be names of types, found without parsing, and the names of the
  /// classes that are generated from their models.
  private lazy var wordsBelow: Set<String> = makeWordsBelow()
  /// The names of the module's own nested types.
  private(set) var nestedNames: Set<String> = []

  /// A module and its sources.
  struct ModuleSources {
    var name: String
    var paths: [String]
    /// The module's models, from which classes are generated.
    var models: [String] = []
  }

  /// - Parameter dependencies: The modules whose sources are read only when a lookup needs them.
  init(module: String, _ files: [Declarations], dependencies: [ModuleSources] = []) {
    self.module = module
    self.dependencies = dependencies
    unreadDependencies = dependencies
    for file in files { add(file, to: module) }
  }

  private func add(_ file: Declarations, to module: String) {
    imports[file.path] = file.imports
    for line in file.imports where line.isReexport {
      exports[module, default: []].insert(line.module)
    }
    for extra in file.conformances where module == self.module {
      let path = Self.withoutModule(extra.path, module).joined(separator: ".")
      conformances[path, default: []] += extra.inherited
    }
    for type in file.types {
      let path = Self.withoutModule(type.path, module)
      declarations[module, default: [:]][path.joined(separator: "."), default: []].append(type)
      if module == self.module, path.count > 1 { nestedNames.insert(type.name) }
    }
  }

  /// Returns a path without a leading module name.
  static func withoutModule(_ path: [String], _ module: String) -> [String] {
    path.count > 1 && path.first == module ? Array(path.dropFirst()) : path
  }

  var dependencyNames: [String] { dependencies.map(\.name) }

  /// Returns whether a name is that of a module that sources can refer to.
  func isModule(_ name: String) -> Bool {
    name == module || KnownTypes.modules.contains(name) || dependencyNames.contains(name)
  }

  /// Returns the types at a path in the module itself.
  func own(_ path: [String]) -> [TypeDeclaration] {
    declarations[module]?[path.joined(separator: ".")] ?? []
  }

  /// Returns whether the module declares that one of its own types conforms to a protocol.
  func conforms(_ path: [String], to name: String) -> Bool {
    let inherited = own(path).flatMap { declaration -> [TypeSyntax] in
      if case .nominal(_, let inherited) = declaration.shape { inherited } else { [] }
    }
    return (inherited + (conformances[path.joined(separator: ".")] ?? []))
      .contains { $0.path?.last == name }
  }

  /// The classes of the module itself.
  var ownClasses: [TypeDeclaration] {
    (declarations[module] ?? [:]).values.joined().filter { declaration in
      if case .nominal(.class, _) = declaration.shape { true } else { false }
    }
  }

  /// The enumerations of the module itself.
  var ownEnumerations: [TypeDeclaration] {
    (declarations[module] ?? [:]).sorted { $0.key < $1.key }.flatMap(\.value).filter {
      if case .nominal(.enumeration, _) = $0.shape { true } else { false }
    }
  }

  /// Returns the types at a path in a module.
  ///
  /// - Throws: ``SourceDiagnostic`` for a dependency's source that cannot be read; ``SourceErrors`` for its model.
  func types(_ path: [String], in module: String) throws -> [TypeDeclaration] {
    try read { $0.name == module }
    return declarations[module]?[path.joined(separator: ".")] ?? []
  }

  private func makeWordsBelow() -> Set<String> {
    var words: Set<String> = []
    for dependency in dependencies {
      for path in dependency.paths { words.formUnion(TypeWords.inFile(at: path)) }
      for path in dependency.models {
        // A model that cannot be read has no names here. The error is thrown when its classes are needed.
        guard let model = try? readModel(at: path) else { continue }
        words.formUnion(
          model.entities.filter { ClassWriter.generation($0) == .class }
            .compactMap(ClassNames.plain))
      }
    }
    return words
  }

  private func readModel(at path: String) throws -> SourceModel {
    if let known = modelsBelow[path] { return known }
    let model = try SourceModel(at: path)
    modelsBelow[path] = model
    return model
  }

  /// Returns whether a dependency may declare a type with a name. Does not parse the sources of the dependencies.
  func mayDeclareBelow(_ name: String) -> Bool { wordsBelow.contains(name) }

  /// Returns the types at a path in the first dependency that declares types there which the file can see. The modules
  /// that the file imports are searched first.
  ///
  /// - Parameter onlyImported: Whether to search only in modules that the file imports.
  /// - Throws: ``SourceDiagnostic`` for a dependency's source that cannot be read; ``SourceErrors`` for its model.
  func below(
    _ path: [String], seenFrom file: SourceFile, onlyImported: Bool = false
  ) throws -> [TypeDeclaration] {
    let key = path.joined(separator: ".")
    let lines = imports[file.path] ?? []
    let imported = try importedModules(lines)
    let inOrder =
      dependencies.filter { imported.contains($0.name) }
      + dependencies.filter { !imported.contains($0.name) && !onlyImported }
    for dependency in inOrder {
      try read { $0.name == dependency.name }
      // Without `@testable`, a file sees only the `package` and `public` types of another module.
      let isTestable = lines.contains {
        $0.module == dependency.name && $0.text.contains("@testable")
      }
      let found = (declarations[dependency.name]?[key] ?? []).filter {
        $0.access >= (isTestable ? .internal : .package)
      }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// Returns the modules of some imports, and those that they re-export.
  private func importedModules(_ lines: [ImportDeclaration]) throws -> Set<String> {
    var found: Set<String> = []
    var rest = lines.map(\.module)
    while let module = rest.popLast() {
      guard found.insert(module).inserted else { continue }
      try read { $0.name == module }
      rest += exports[module] ?? []
    }
    return found
  }

  private func read(_ isWanted: (ModuleSources) -> Bool) throws {
    for dependency in unreadDependencies.filter(isWanted) {
      unreadDependencies.removeAll { $0.name == dependency.name }
      for path in dependency.paths {
        let file = try SourceFile(contentsOf: path, module: dependency.name)
        add(DeclarationReader.read(file), to: dependency.name)
      }
      for path in dependency.models {
        let model = try readModel(at: path)
        let file = SourceFile(
          path: Generation.classesFile(of: model.name), module: dependency.name,
          text: ClassWriter(model: model, table: self, importsPublicly: true).text)
        add(DeclarationReader.read(file), to: dependency.name)
      }
    }
  }
}
