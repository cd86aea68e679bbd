import ArgumentParser
import CoreData
import StoreInspection

/// `coredata fetch`: shows rows of an entity.
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Shows the rows of an entity.",
    discussion: """
      The condition is a Core Data predicate: "age >= 30 AND team.name BEGINSWITH[c] 'r'". A to-one \
      relationship is shown as its target row, a to-many relationship as the number of its rows. Dates are in UTC.
      With --section, rows without a value form the section (none), null in JSON, and rows with an empty string \
      the section "".
      A value that cannot be read, for example because its file beside the store is missing, is ‹unreadable› \
      in a table, null in JSON and an empty field in CSV.
      Exit codes: 0 all values were written; 65 some values could not be read and are missing from the output. \
      The command lists them and writes all other values.
      """
  )

  @OptionGroup var arguments: ResultArguments
  @OptionGroup var readOnly: ReadOnlyOptions

  @Option(parsing: .unconditional, help: "Skip this many rows.")
  var offset: Int?

  @Flag(
    help: """
      Instead of rows, print the SQL, its parameters and the database's query plan: which indexes \
      find the rows, and which tables are read completely.
      """)
  var explain = false

  func run() throws {
    if let limit = arguments.limit, limit < 0 {
      throw Diagnostic(.usage, "--limit \(limit) is negative")
    }
    if let offset, offset < 0 { throw Diagnostic(.usage, "--offset \(offset) is negative") }
    if explain, arguments.format == .csv {
      throw Diagnostic(.usage, "--explain supports the formats table and json, not csv")
    }
    if explain, arguments.limit == 0 {
      throw Diagnostic(.usage, "--limit 0 fetches no rows, so --explain has no statement to show")
    }
    try arguments.reading(isImmutable: readOnly.immutable) { try show($0) }
  }

  /// Prints the requested rows, or the explanation of the request.
  func show(_ results: ResultArguments.Results) throws {
    let (limit, section, format) = (arguments.limit, arguments.section, arguments.format)
    let (opened, query, request) = (results.opened, results.query, results.request)
    query.noteHints()
    let chosen = results.columns
    request.fetchOffset = offset ?? 0
    // In a fetch request, a limit of 0 means no limit.
    let isEmpty = limit == 0
    let unreadable = UnreadableValues()
    try query.fetching {
      try opened.perform { context in
        // Return before the writer begins, because the writer may print the titles of the columns.
        if explain { return try printExplanation(of: request, in: context) }
        let printer = RowPrinter(
          columns: chosen, context: context, extent: format.extent, unreadable: unreadable)
        var writer = format.writer(
          width: Console.current.width(), quotesFormulas: arguments.formulas.quoteFormulas,
          output: { Console.current.output($0) })
        writer.begin(columns: chosen.map(\.title), sectioned: section != nil)
        if isEmpty {
          // Nothing is fetched, but counting the rows reports errors in the condition.
          _ = try context.count(for: request)
        } else if let section {
          request.fetchBatchSize = RowPrinter.chunkSize
          let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
            cacheName: nil)
          try controller.performFetch()
          try printer.print(controller, to: &writer)
        } else {
          try context.forEachBatch(of: request) { try printer.print($0, to: &writer) }
        }
        writer.end()
      }
    }
    // Throw only after all other values are in the output.
    try unreadable.check()
  }
}
