/// The command-line arguments of the tool.
struct CommandArguments {
  var module = ""
  var output = ""
  var models: [String] = []
  var mappingModels: [String] = []
  var sources: [String] = []
  var dependencies: [TypeTable.ModuleSources] = []

  struct Misuse: Error, CustomStringConvertible {
    var description: String
  }

  static let usage = """
    usage: ManagedObjectGenerator --module NAME --output FOLDER [--model PATH]... [--mapping PATH]...
             [--source PATH]...
             [--dependency MODULE [--dependency-source PATH]... [--dependency-model PATH]...]...
    """

  /// - Throws: ``Misuse`` if the arguments are invalid.
  init(_ words: [String]) throws {
    var rest = words[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Misuse(description: Self.usage) }
      switch option {
      case "--module": module = value
      case "--output": output = value
      case "--model": models.append(value)
      case "--mapping": mappingModels.append(value)
      case "--source": sources.append(value)
      case "--dependency": dependencies.append(.init(name: value, paths: []))
      case "--dependency-source" where !dependencies.isEmpty:
        dependencies[dependencies.count - 1].paths.append(value)
      case "--dependency-model" where !dependencies.isEmpty:
        dependencies[dependencies.count - 1].models.append(value)
      default: throw Misuse(description: Self.usage)
      }
    }
    guard !module.isEmpty, !output.isEmpty else { throw Misuse(description: Self.usage) }
  }
}
