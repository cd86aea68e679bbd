import ArgumentParser
import ContactsSample
import CoreData
import StoreInspection

/// `coredata sample`: creates a store to experiment with.
struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample",
    abstract: "Creates a sample store of people, teams, customers and jobs.",
    discussion: """
      The same number of rows and the same seed produce the same values on every machine. The names are \
      combined at random; any resemblance to real people is a coincidence.
      """
  )

  @Argument(help: "Path of the new store; no file may exist there.", completion: .file())
  var store: String

  @Option(help: "Number of rows, from 10 to 1000000.")
  var rows = 10_000

  @Option(help: "Seed of the random number generator.")
  var seed: UInt64 = 1

  @OptionGroup var links: LinkArguments

  func run() throws {
    guard SamplePlan.possibleRows.contains(rows) else {
      throw Diagnostic(.usage, "--rows \(rows): a sample has between 10 and 1,000,000 rows")
    }
    let store = try links.place(store)
    guard !FileManager.default.fileExists(atPath: store) else {
      throw Diagnostic(
        .usage, "'\(store)' already exists",
        details: ["Choose another name, or delete the file and those beside it (-wal, -shm) first."]
      )
    }
    let plan = SamplePlan(rows: rows, seed: seed)
    let opened = try OpenedStore.create(store, model: try ContactsModel.load())
    // Closing moves the write-ahead log into the file, so that the file alone is the complete store.
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
