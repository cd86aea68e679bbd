import ArgumentParser

/// The command line `coredata`: looks into stores of Core Data and changes them.
@main
struct CoreDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coredata",
    abstract: "Looks into Core Data stores, and changes them."
  )
}
