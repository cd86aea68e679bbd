import ArgumentParser
import CoreData
import StoreInspection

/// `coredata fetch`: shows rows of an entity.
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Shows the rows of an entity.",
    discussion: """
      The condition is a predicate of Core Data: "age >= 30 AND team.name BEGINSWITH[c] 'r'". \
      A to-one relationship is shown as the row it leads to, a to-many relationship as the number \
      of rows. Dates are in UTC.
      With --section, rows without a value are the section (none), null in JSON, and rows with an empty text \
      the section "".
      A value that cannot be read, because its file beside the store is missing, for example, is \
      ‹unreadable› in a table, null in JSON and an empty field in CSV.
      Exit codes: 0 all values were written; 65 some values cannot be read and are missing in the output. \
      They are listed, and all others are written.
      """
  )

  @OptionGroup var arguments: ResultArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Option(parsing: .unconditional, help: "Leave out so many rows at the beginning.")
  var offset: Int?

  @Flag(
    help: """
      Instead of rows, print the SQL, its parameters and the database's plan for it: which index \
      finds the rows, or that every row is read.
      """)
  var explain = false

  func run() throws {
    if let limit = arguments.limit, limit < 0 {
      throw Diagnostic(.usage, "--limit \(limit) is less than 0")
    }
    if let offset, offset < 0 { throw Diagnostic(.usage, "--offset \(offset) is less than 0") }
    if explain, arguments.format == .csv {
      throw Diagnostic(.usage, "--explain has the formats table and json, not csv")
    }
    try show(try arguments.open(isImmutable: readOnly.immutable))
  }

  /// Writes what was asked for.
  func show(_ results: ResultArguments.Results) throws {
    let (limit, section, format) = (arguments.limit, arguments.section, arguments.format)
    let (opened, query, request) = (results.opened, results.query, results.request)
    query.noteHints()
    let chosen = results.columns
    request.fetchOffset = offset ?? 0
    // Of a limit of 0 the library makes no limit.
    let isEmpty = limit == 0
    let unreadable = UnreadableValues()
    try query.fetching {
      try opened.perform { context in
        if explain { return try printExplanation(of: request, in: context) }
        let printer = RowPrinter(
          columns: chosen, context: context, extent: format.extent, unreadable: unreadable)
        var writer = format.writer(
          width: Console.current.width(), quotesFormulas: arguments.formulas.quoteFormulas,
          output: { Console.current.output($0) })
        writer.begin(columns: chosen.map(\.title), sectioned: section != nil)
        if isEmpty {
          // Mistakes in the condition are told all the same.
          _ = try context.count(for: request)
        } else if let section {
          request.fetchBatchSize = RowPrinter.chunkSize
          let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
            cacheName: nil)
          try controller.performFetch()
          _ = try printer.print(controller, to: &writer)
        } else {
          try context.forEachBatch(of: request) { try printer.print($0, to: &writer) }
        }
        writer.end()
      }
    }
    try unreadable.check()
  }
}
