import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model diff`: shows what a migration between two models would do.
struct ModelDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Shows what a migration from one model to another would do.",
    discussion: """
      Lists each change with the migration that it requires. "no migration": a store opens as it is. \
      "lightweight": Core Data infers the migration; the line says what happens to the data if that is not \
      obvious. "needs mapping": only a mapping model can determine the new data; the line below says what to \
      do. The last line says which migration all changes together require. A property or entity counts as \
      renamed if its renaming identifier is the old name or the old renaming identifier.

        coredata model diff Model.xcdatamodeld --old "Model 2" --new "Model 3"
        coredata model diff Contacts.sqlite Model.momd

      Exit codes: 0 no migration is needed, the migration is lightweight, or there is a mapping model for it \
      beside the new model; 1 a mapping model is needed.
      """
  )

  @Argument(help: "The old model: the one that stores have now.", completion: .file())
  var oldModel: String

  @Argument(
    help: "The new model. If it is omitted, two versions of the old model are compared.",
    completion: .file())
  var newModel: String?

  @Option(
    name: .customLong("old"),
    help: ArgumentHelp("Version of the old model, if not the current one.", valueName: "name"))
  var oldVersion: String?

  @Option(
    name: .customLong("new"),
    help: ArgumentHelp("Version of the new model, if not the current one.", valueName: "name"))
  var newVersion: String?

  @Option(help: "text or json (one object).")
  var format: TextFormat = .text

  @OptionGroup var readOnly: ReadOnlyOptions

  func run() throws { try readOnly.apply(compare) }

  private func compare() throws {
    if newModel == nil, oldVersion == nil, newVersion == nil {
      throw Diagnostic(
        .usage, "there is no second model to compare with",
        details: ["Name a new model, or choose another version of this one with --old or --new."])
    }
    let oldFiles = try ModelFiles(at: oldModel)
    let newFiles = try newModel.map { path throws(Diagnostic) in try ModelFiles(at: path) }
    let new = try (newFiles ?? oldFiles).load(version: newVersion, option: "--new")
    var old = try oldFiles.load(version: oldVersion, option: "--old")
    if oldFiles.isStore, let newFiles { old = try Self.model(of: old, among: newFiles) }
    let comparison = ModelComparison(from: old.model, to: new.model)
    let text = ComparisonText(comparison: comparison, old: old, new: new)
    switch format {
    case .text: for line in text.lines { Console.current.output(line.onOneLine + "\n") }
    case .json: Console.current.output(text.json + "\n")
    }
    // Look for a mapping model after the output, because an unreadable file beside the model is an error.
    let mapping = try reportingStoreErrors {
      try MappingFinder(source: old.model, destination: new.model).found(
        in: (newFiles ?? oldFiles).folders)
    }
    if let mapping { note(mapping.url, mapping.mapping, old.model, new.model) }
    if comparison.migration.weight == 2, mapping == nil { throw ExitCode(1) }
  }

  /// Prints which mapping model was found, the migration policies that it needs, and the entities that it leaves out.
  private func note(
    _ url: URL, _ mapping: NSMappingModel, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) {
    let path = url.path.onOneLine
    let mappings = mapping.entityMappings ?? []
    let policies = Set(mappings.compactMap(\.entityMigrationPolicyClassName)).subtracting([""])
    let noun = policies.count == 1 ? "policy" : "policies"
    let who =
      policies.isEmpty
      ? "\"coredata migrate\" uses it"
      : "only the program can use it, because it needs the program's migration \(noun)"
        + " \(policies.sorted().joined(separator: ", ").onOneLine)"
    Console.current.note("\(path) is the mapping model from the old model to the new one: \(who)\n")
    let leftOut = LeftOutEntities(mappings, from: old, to: new).names
    if !leftOut.isEmpty {
      Console.current.note(
        "\(path) has no entity mapping for \(leftOut.joined(separator: ", ").onOneLine), which both models have:"
          + " it cannot migrate a store with rows of \(leftOut.count == 1 ? "this entity" : "these entities")\n"
      )
    }
  }

  /// Returns a store's model, or instead the version with the same hashes if there is one, because that is the source
  /// model of a migration. Unlike the model in the store, the version may have renaming identifiers that were added
  /// after the store was written.
  private static func model(of store: LoadedModel, among files: ModelFiles) throws -> LoadedModel {
    var migration = ProgressiveMigration(through: [store.model])
    migration.knownModels = files.readableVersions
    let known = try reportingStoreErrors {
      try migration.path(from: URL(fileURLWithPath: store.path))
    }
    var store = store
    store.model = known.first ?? store.model
    return store
  }
}
