import ArgumentParser
import CoreData
import StoreInspection

/// `coredata watch`: shows rows of an entity, and then what becomes of them.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract:
      "Shows the rows of an entity, and each change that another process saves, as it comes.",
    discussion: """
      After the rows, each save that changes the result is a report: + a row that came, - one that \
      went, > one that has another place, ~ one with other values. Places are counted from 0 within \
      the section; those of rows that went are places before the save, all others after it. In json \
      and csv every line has the number of its report, 0 for the rows at the beginning.
      A row that comes among those of --limit pushes the last one out.
      It goes on until it is interrupted (SIGINT, SIGTERM), or for --reports reports; both end with \
      exit code 0. A store that is moved, replaced or destroyed meanwhile is an error.
      """
  )

  @OptionGroup var arguments: ResultArguments

  @Option(parsing: .unconditional, help: "End after so many reports.")
  var reports: Int?

  func run() throws {
    if let limit = arguments.limit, limit < 1 {
      throw Diagnostic(.usage, "--limit \(limit) is less than 1")
    }
    if let reports, reports < 0 { throw Diagnostic(.usage, "--reports \(reports) is less than 0") }
    let log = LeftLog(of: arguments.store.store)
    let results = try arguments.open()
    let (opened, request, section) = (results.opened, results.request, arguments.section)
    results.query.noteHints()
    defer {
      opened.close()
      log.moveIntoStore(model: arguments.store.model)
    }
    // Only the keys of the rows are kept in memory.
    request.fetchBatchSize = RowPrinter.chunkSize
    let ending = WatchEnding(reports: reports)
    let printer = ReportPrinter(
      format: arguments.format, columns: results.columns, isSectioned: section != nil,
      didPrint: { ending.noteReport() })
    // A store that cannot be read any more ends it.
    opened.coordinator.onStoreFailure { ending.end(with: $1) }
    defer { opened.perform { _ in printer.stop() } }
    try results.query.fetching {
      try opened.perform { context in
        context.automaticallyMergesChangesFromParent = true
        try printer.begin(request, section: section, in: context)
      }
    }
    try ending.wait()
  }
}
