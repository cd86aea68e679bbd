import ArgumentParser
import StoreInspection

/// The command line `coredata`: looks into stores of Core Data and changes them.
struct CoreDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coredata",
    abstract: "Looks into Core Data stores and models, and changes them.",
    discussion: """
      A store says itself what it holds, so most of the time no model is needed.
      Exit codes: 0 done; 64 the command line has an error, or a value breaks a rule of the model; 65 the \
      store, the model or another file has an error; 74 the output could not be written; 1 from "model diff" \
      where a mapping model is needed, and from "port" where something is left.
      """,
    subcommands: [
      InfoCommand.self, FetchCommand.self, WatchCommand.self, ExploreCommand.self,
      InsertCommand.self,
      UpdateCommand.self, DeleteCommand.self, HistoryCommand.self, VerifyCommand.self,
      CopyCommand.self, MigrateCommand.self, ModelCommand.self, PortCommand.self,
      SampleCommand.self,
    ]
  )
}
