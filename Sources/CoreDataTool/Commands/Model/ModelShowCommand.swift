import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model show`: prints a model for people to read.
struct ModelShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a model: versions, entities with their properties, and fetch requests.",
    discussion: """
      In the whole model, each entity is shown with the properties that it declares; a single entity is shown \
      with inherited properties too. → points to one object, →→ to many. As JSON the model is in the format that \
      "convert" writes.

        coredata model show Model.xcdatamodeld --version "Model 2"
        coredata model show Contacts.sqlite Person
      """
  )

  @OptionGroup var arguments: ModelArguments

  @Argument(help: "Entity to show alone.")
  var entity: String?

  @Option(help: "text or json.")
  var format: TextFormat = .text

  func run() throws {
    let loaded = try arguments.load()
    let entity = try entity.map { try loaded.entity(named: $0) }
    switch format {
    case .json:
      guard entity == nil else {
        throw Diagnostic(.usage, "--format json shows the whole model; omit the entity")
      }
      let json = try reportingStoreErrors { try loaded.asVersionedModel().json() }
      Console.current.output(String(decoding: json, as: UTF8.self))
    case .text:
      let lines =
        entity.map { EntitySummary(entity: $0, withInherited: true).lines }
        ?? ModelSummary(loaded: loaded).lines
      for line in lines { Console.current.output(line.onOneLine + "\n") }
    }
  }
}

extension LoadedModel {
  /// Returns the model as a versioned model with one version.
  func asVersionedModel() throws -> VersionedModel {
    let file = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    return try VersionedModel(versions: [.init(name: version ?? file, model: model)])
  }
}
