import ArgumentParser
import StoreInspection

/// The command-line tool `coredata`, which reads and changes Core Data stores.
struct CoreDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coredata",
    abstract: "Reads and changes Core Data stores and models.",
    discussion: """
      A store contains a copy of its model, so most commands need no model file.
      Exit codes: 0 success; 64 usage error, or a value that violates a rule of the model; 65 the store, the model \
      or another file has an error; 74 the output could not be written; 130 "migrate" was interrupted; 141 the reader \
      of the output ended first; 1 from "model diff" if a mapping model is needed, and from "port" if work is left to \
      do by hand, or with --check something to rewrite.
      """,
    // CHANGELOG.md has the same version, which a test compares.
    version: "0.1.0",
    subcommands: [
      InfoCommand.self, FetchCommand.self, WatchCommand.self, ExploreCommand.self,
      InsertCommand.self,
      UpdateCommand.self, DeleteCommand.self, HistoryCommand.self, VerifyCommand.self,
      CopyCommand.self, MigrateCommand.self, ModelCommand.self, PortCommand.self,
      SampleCommand.self,
    ]
  )
}
