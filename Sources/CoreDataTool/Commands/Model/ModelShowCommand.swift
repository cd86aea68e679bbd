import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model show`: a model as a person reads it.
struct ModelShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows a model: versions, entities with their properties, fetch requests.",
    discussion: """
      An entity is shown with the properties it declares; named alone, with inherited ones too. \
      → leads to one object, →→ to many. As JSON the model is in the form that "convert" writes.

        coredata model show Model.xcdatamodeld --version "Model 2"
        coredata model show Contacts.sqlite Person
      """
  )

  @OptionGroup var arguments: ModelArguments

  @Argument(help: "An entity, to see it alone.")
  var entity: String?

  @Option(help: "text or json.")
  var format: TextFormat = .text

  func run() throws {
    let loaded = try arguments.load()
    let entity = try entity.map { try loaded.entity(named: $0) }
    switch format {
    case .json:
      guard entity == nil else {
        throw Diagnostic(.usage, "--format json shows the whole model; leave out the entity")
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
  /// The model as the only version.
  func asVersionedModel() throws -> VersionedModel {
    let file = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    return try VersionedModel(versions: [.init(name: version ?? file, model: model)])
  }
}
