import ArgumentParser
import StoreInspection

/// What every command on one model takes.
struct ModelArguments: ParsableArguments {
  @Argument(
    help: "The model: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json, or a store.",
    completion: .file())
  var model: String

  @Option(
    help: ArgumentHelp("Another version than the current one.", valueName: "name"))
  var version: String?

  @OptionGroup var readOnly: ReadOnlyOptions

  /// Reads the model in the version that is meant.
  func load() throws -> LoadedModel {
    try readOnly.apply { try ModelFiles(at: model).load(version: version) }
  }
}
