import ArgumentParser
import CoreData
import StoreInspection

/// `coredata model diff`: what a migration between two models would do.
struct ModelDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Tells what a migration from one model to another would do.",
    discussion: """
      Each change says what it asks of a migration. "no migration": a store opens as it is. \
      "lightweight": Core Data infers what to do, and what happens to the data is said where that \
      is not obvious. "needs mapping": only a mapping model can say what becomes of the data. The \
      last line is the verdict. Renaming identifiers are followed.

        coredata model diff Model.xcdatamodeld --old "Model 2" --new "Model 3"
        coredata model diff Contacts.sqlite Model.momd

      Exit codes: 0 the models are the same, the migration is lightweight, or a mapping model for it is \
      beside the new model; 1 a mapping model is needed.
      """
  )

  @Argument(help: "The model of the data as it is.", completion: .file())
  var oldModel: String

  @Argument(
    help: "The model to get to; without it another version of the first.", completion: .file())
  var newModel: String?

  @Option(
    name: .customLong("old"),
    help: ArgumentHelp("The version of the first, if not the current one.", valueName: "name"))
  var oldVersion: String?

  @Option(
    name: .customLong("new"),
    help: ArgumentHelp("The version of the second, if not the current one.", valueName: "name"))
  var newVersion: String?

  @Option(help: "text or json (one object).")
  var format: TextFormat = .text

  @OptionGroup var readOnly: ReadOnlyOptions

  func run() throws { try readOnly.apply(compare) }

  private func compare() throws {
    if newModel == nil, oldVersion == nil, newVersion == nil {
      throw Diagnostic(
        .usage, "there is only one model",
        details: ["Name a second one, or two versions of the first with --old and --new."])
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
    let mapping = try reportingStoreErrors {
      try MappingFinder(source: old.model, destination: new.model).found(
        in: (newFiles ?? oldFiles).folders)
    }
    if let mapping { note(mapping.url, mapping.mapping, old.model, new.model) }
    if comparison.migration.weight == 2, mapping == nil { throw ExitCode(1) }
  }

  /// Tells of a mapping model that is made for the models, and what it asks for or leaves out.
  private func note(
    _ url: URL, _ mapping: NSMappingModel, _ old: NSManagedObjectModel, _ new: NSManagedObjectModel
  ) {
    let path = url.path.onOneLine
    let mappings = mapping.entityMappings ?? []
    let policies = Set(mappings.compactMap(\.entityMigrationPolicyClassName)).subtracting([""])
    let who =
      policies.isEmpty
      ? "\"coredata migrate\" carries it out"
      : "it needs \(policies.sorted().joined(separator: ", ").onOneLine) of the program, which alone can carry it out"
    Console.current.note("\(path) is made for these models: \(who)\n")
    let leftOut = LeftOutEntities(mappings, from: old, to: new).names
    if !leftOut.isEmpty {
      Console.current.note(
        "\(path) has no entity mapping for \(leftOut.joined(separator: ", ").onOneLine), which both models have:"
          + " a store with rows of it is not migrated\n")
    }
  }

  /// A store's model as a migration takes it: the version with the store's hashes may have got renaming
  /// identifiers since.
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
