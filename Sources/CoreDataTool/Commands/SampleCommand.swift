import ArgumentParser
import ContactsSample
import CoreData
import StoreInspection

/// `coredata sample`: makes a store to try things on.
struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Makes a store of people, teams, customers and jobs.",
    discussion: """
      The same number of rows and the same seed give the same values on every machine. The names \
      are drawn from lists; nobody in them is meant.
      """
  )

  @Argument(help: "Where to make the store; there must be no file yet.", completion: .file())
  var store: String

  @Option(help: "How many rows, from 10 to 1000000.")
  var rows = 10_000

  @Option(help: "Where the random numbers start.")
  var seed: UInt64 = 1

  @OptionGroup var links: LinkArguments

  func run() throws {
    guard SamplePlan.possibleRows.contains(rows) else {
      throw Diagnostic(.usage, "--rows \(rows): a sample has from 10 to 1,000,000 rows")
    }
    let store = try links.place(store)
    guard !FileManager.default.fileExists(atPath: store) else {
      throw Diagnostic(
        .usage, "'\(store)' is there already",
        details: ["Choose another name, or delete it and what belongs to it (-wal, -shm) first."])
    }
    let plan = SamplePlan(rows: rows, seed: seed)
    let opened = try OpenedStore.create(store, model: try ContactsModel.load())
    // The file is whole when the command is done.
    defer { opened.close() }
    let isLong = rows >= 100_000
    try reportingStoreErrors {
      try opened.perform { context in
        var filler = SampleFiller(context, plan: plan) { saved in
          guard isLong else { return }
          Console.current.note("\r\(CountText.rows(saved)) of \(CountText.grouped(plan.rows))")
        }
        try filler.fill()
      }
    }
    if isLong { Console.current.note("\n") }
    let parts = [
      CountText.counted(plan.people, "person", plural: "people"),
      CountText.counted(plan.teams, "team"), CountText.counted(plan.players, "player"),
      CountText.counted(plan.customers, "customer"), CountText.counted(plan.jobs, "job"),
    ]
    Console.current.output("\(store): \(parts.joined(separator: ", "))\n")
  }
}
