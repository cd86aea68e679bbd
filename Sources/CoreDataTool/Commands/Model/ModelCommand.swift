import ArgumentParser
import StoreInspection

/// `coredata model`: the commands on models.
struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model",
    abstract: "Shows, compares, checks, converts and draws models.",
    discussion: """
      A model is an .xcdatamodeld or .xcdatamodel, a compiled .momd or .mom, the .json that "convert" \
      writes, or a store, which contains a copy of its model. If a model has versions, commands use the \
      current one, unless --version selects another. Reading the model of a store that another process has \
      open may change timestamps of files beside it; --immutable reads it as evidence.
      """,
    subcommands: [
      ModelShowCommand.self, ModelHashesCommand.self, ModelDiffCommand.self, ModelCheckCommand.self,
      ModelConvertCommand.self, ModelDiagramCommand.self,
    ]
  )
}
