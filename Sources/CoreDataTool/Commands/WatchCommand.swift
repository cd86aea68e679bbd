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
      A row that comes among those of --limit pushes the last one out. Rows without a value and rows with an \
      empty text are one section where places are counted.
      It goes on until it is interrupted (SIGINT, SIGTERM, SIGHUP), or for --reports reports. A store that is \
      moved, replaced or destroyed meanwhile is an error.
      Exit codes: 0 it was interrupted, or all reports were written; 65 the store was lost, or values are missing \
      in the output because they cannot be read; 74 the output could not be written, or its reader had stopped \
      reading when it was interrupted; 141 the reader closed the pipe.
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
      quotesFormulas: arguments.formulas.quoteFormulas, didPrint: { ending.noteReport() },
      isOutputLost: { ending.isOutputLost })
    // A store that cannot be read any more ends it.
    opened.coordinator.onStoreFailure { ending.end(with: $1) }
    do {
      defer { opened.perform { _ in printer.stop() } }
      try results.query.fetching {
        try opened.perform { context in
          context.automaticallyMergesChangesFromParent = true
          try printer.begin(request, section: section, in: context)
        }
      }
      try ending.wait()
    }
    try ending.requireOutput()
    try printer.unreadable.check()
  }
}
