/// The types that the sources of a module and of those below it declare.
final class TypeTable {
  let module: String
  private var declarations: [String: [String: [TypeDeclaration]]] = [:]
  private let dependencies: [ModuleSources]
  private var unreadDependencies: [ModuleSources]
  /// The names of the types of the module itself that are nested in others.
  private(set) var nestedNames: Set<String> = []

  /// A module and the sources it is made of.
  struct ModuleSources {
    var name: String
    var paths: [String]
  }

  /// - Parameter dependencies: the modules below, whose sources are read when a type is not found.
  init(module: String, _ files: [Declarations], dependencies: [ModuleSources] = []) {
    self.module = module
    self.dependencies = dependencies
    unreadDependencies = dependencies
    for file in files { add(file, to: module) }
  }

  private func add(_ file: Declarations, to module: String) {
    for type in file.types {
      let path = Self.withoutModule(type.path, module)
      declarations[module, default: [:]][path.joined(separator: "."), default: []].append(type)
      if module == self.module, path.count > 1 { nestedNames.insert(type.name) }
    }
  }

  /// A path without the name of the module that it may begin with.
  static func withoutModule(_ path: [String], _ module: String) -> [String] {
    path.count > 1 && path.first == module ? Array(path.dropFirst()) : path
  }

  /// The names of the modules below.
  var dependencyNames: [String] { dependencies.map(\.name) }

  /// Whether a name is that of a module that sources can name.
  func isModule(_ name: String) -> Bool {
    name == module || KnownTypes.modules.contains(name) || dependencyNames.contains(name)
  }

  /// The types of a path in the module itself.
  func own(_ path: [String]) -> [TypeDeclaration] {
    declarations[module]?[path.joined(separator: ".")] ?? []
  }

  /// The classes of the module itself.
  var ownClasses: [TypeDeclaration] {
    (declarations[module] ?? [:]).values.joined().filter { declaration in
      if case .nominal(.class, _) = declaration.shape { true } else { false }
    }
  }

  /// The types of a path in a module.
  ///
  /// - Throws: ``Diagnostic`` for a source that cannot be read.
  func types(_ path: [String], in module: String) throws -> [TypeDeclaration] {
    try read { $0.name == module }
    return declarations[module]?[path.joined(separator: ".")] ?? []
  }

  /// The types of a path in the modules below, those of one module.
  ///
  /// - Throws: ``Diagnostic`` for a source that cannot be read.
  func below(_ path: [String]) throws -> [TypeDeclaration] {
    let key = path.joined(separator: ".")
    for dependency in dependencies {
      try read { $0.name == dependency.name }
      let found = (declarations[dependency.name]?[key] ?? []).filter { $0.access >= .package }
      if !found.isEmpty { return found }
    }
    return []
  }

  private func read(_ isWanted: (ModuleSources) -> Bool) throws {
    for dependency in unreadDependencies.filter(isWanted) {
      unreadDependencies.removeAll { $0.name == dependency.name }
      for path in dependency.paths {
        let file = try SourceFile(contentsOf: path, module: dependency.name)
        add(DeclarationReader.read(file), to: dependency.name)
      }
    }
  }
}
