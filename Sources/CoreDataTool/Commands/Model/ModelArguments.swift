import ArgumentParser
import StoreInspection

/// The arguments of every command on one model.
struct ModelArguments: ParsableArguments {
  @Argument(
    help: "The model: .xcdatamodeld, .xcdatamodel, .momd, .mom, .json, or a store.",
    completion: .file())
  var model: String

  @Option(
    help: ArgumentHelp("Version of the model, if not the current one.", valueName: "name"))
  var version: String?

  @OptionGroup var readOnly: ReadOnlyOptions

  /// Reads the selected version of the model.
  func load() throws -> LoadedModel {
    try readOnly.apply { try ModelFiles(at: model).load(version: version) }
  }
}
