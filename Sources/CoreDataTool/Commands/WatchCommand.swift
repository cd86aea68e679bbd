import ArgumentParser
import CoreData
import StoreInspection

/// `coredata watch`: shows rows of an entity and reports their changes.
struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract:
      "Shows the rows of an entity, and reports each change that another process saves.",
    discussion: """
      After the rows, each save that changes the result is reported: + an inserted row, - a deleted row, > a \
      moved row, ~ an updated row. Positions count from 0 within the section. The position of a deleted row is the \
      one before the save, and that of an inserted or updated row the one after it; a moved row has both. In json and \
      csv every line has the number of its report, which is 0 for the initial rows.
      With --limit, a row that moves into the first rows pushes the last one out. With --section, positions count rows \
      without a value and rows with an empty string as one section.
      The command runs until it is interrupted (SIGINT, SIGTERM, SIGHUP), or has written as many reports as --reports \
      allows. It fails if the store is moved, replaced or destroyed while the command runs.
      Exit codes: 0 it was interrupted, or all reports were written; 65 the store was lost, or values that cannot be \
      read are missing from the output; 74 the output could not be written, or its reader had stopped reading when \
      the command was interrupted; 141 the reader closed the pipe.
      """
  )

  @OptionGroup var arguments: ResultArguments

  @Option(parsing: .unconditional, help: "Stop after this many reports.")
  var reports: Int?

  func run() throws {
    if let limit = arguments.limit, limit < 1 {
      throw Diagnostic(.usage, "--limit \(limit) is less than 1")
    }
    if let reports, reports < 0 { throw Diagnostic(.usage, "--reports \(reports) is negative") }
    try arguments.reading { try watch($0) }
  }

  /// Prints the rows, and reports changes until the watch ends.
  private func watch(_ results: ResultArguments.Results) throws {
    let (opened, request, section) = (results.opened, results.request, arguments.section)
    results.query.noteHints()
    // Only the keys of the rows are kept in memory.
    request.fetchBatchSize = RowPrinter.chunkSize
    let ending = WatchEnding(reports: reports)
    let printer = ReportPrinter(
      format: arguments.format, columns: results.columns, isSectioned: section != nil,
      quotesFormulas: arguments.formulas.quoteFormulas, didPrint: { ending.noteReport() })
    // Stop when the store can no longer be read.
    opened.coordinator.onStoreFailure { ending.end(with: $1) }
    do {
      // Stop on the queue, because a report may be in progress there.
      defer { opened.perform { _ in printer.stop() } }
      try results.query.fetching {
        try opened.perform { context in
          context.automaticallyMergesChangesFromParent = true
          try printer.begin(request, section: section, in: context)
        }
      }
      try ending.wait()
    }
    try printer.unreadable.check()
  }
}
