import ArgumentParser
import CoreData

/// `coredata fetch`: shows rows of an entity.
struct FetchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Shows the rows of an entity.",
    discussion: """
      The condition is a predicate of Core Data: "age >= 30 AND team.name BEGINSWITH[c] 'r'". \
      A to-one relationship is shown as the row it leads to, a to-many relationship as the number \
      of rows. Dates are in UTC.
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which rows.", valueName: "predicate"))
  var condition: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "In what order: name,-age is by name, then by age downwards.", valueName: "keys"))
  var sort: String?

  @Option(help: ArgumentHelp("In sections by the value of a key.", valueName: "key"))
  var section: String?

  @Option(
    help: ArgumentHelp("Which properties, in what order: name,team.name.", valueName: "names"))
  var columns: String?

  @Option(parsing: .unconditional, help: "At most so many rows.")
  var limit: Int?

  @Option(parsing: .unconditional, help: "Leave out so many rows at the beginning.")
  var offset: Int?

  @Option(help: "table, json (an object a line) or csv.")
  var format: OutputFormat = .table

  @Flag(
    help: """
      Instead of rows, print the SQL, its parameters and the database's plan for it: which index \
      finds the rows, or that every row is read.
      """)
  var explain = false

  func run() throws {
    if let limit, limit < 0 { throw Diagnostic(.usage, "--limit \(limit) is less than 0") }
    if let offset, offset < 0 { throw Diagnostic(.usage, "--offset \(offset) is less than 0") }
    if explain, format == .csv {
      throw Diagnostic(.usage, "--explain has the formats table and json, not csv")
    }
    let keys = try sort.map { try SortKey.parse($0) } ?? []
    let names = try columns.map { try ColumnList.parse($0) }
    let opened = try arguments.openForReading()
    let entity = try opened.entity(named: entity)
    let query = try RowQuery(entity: entity, where: condition)
    for key in keys { try SortCheck.requireSortable(key.key, of: entity, use: "--sort") }
    if let section { try SortCheck.requireSortable(section, of: entity, use: "--section") }
    let chosen =
      try names.map { names in
        try names.map { try ResultColumn.column($0, of: entity, use: "--columns") }
      } ?? ResultColumn.all(of: entity)
    opened.noteModel()

    let request = query.request()
    request.fetchLimit = limit ?? 0
    request.fetchOffset = offset ?? 0
    request.sortDescriptors = SortKey.descriptors(keys, section: section)
    // Of a limit of 0 the library makes no limit.
    let isEmpty = limit == 0
    try query.fetching {
      try opened.perform { context in
        if explain { return try printExplanation(of: request, in: context) }
        let printer = RowPrinter(columns: chosen, context: context)
        var writer = format.writer(
          width: Console.current.width(), output: { Console.current.output($0) })
        writer.begin(columns: chosen.map(\.title), sectioned: section != nil)
        if isEmpty {
          // Mistakes in the condition are told all the same.
          _ = try context.count(for: request)
        } else if let section {
          try printSections(request, section, context, printer, &writer)
        } else {
          try context.forEachBatch(of: request) { try printer.print($0, to: &writer) }
        }
        writer.end()
      }
    }
  }

  private func printSections(
    _ request: NSFetchRequest<NSManagedObject>, _ key: String, _ context: NSManagedObjectContext,
    _ printer: RowPrinter, _ writer: inout any RowWriter
  ) throws {
    request.fetchBatchSize = RowPrinter.chunkSize
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: key, cacheName: nil)
    try controller.performFetch()
    for (index, section) in (controller.sections ?? []).enumerated() {
      writer.section(section.name, count: section.numberOfObjects)
      for start in stride(from: 0, to: section.numberOfObjects, by: RowPrinter.chunkSize) {
        let end = min(start + RowPrinter.chunkSize, section.numberOfObjects)
        let objects = (start..<end).map {
          controller.object(at: IndexPath(row: $0, section: index))
        }
        try printer.print(objects, to: &writer)
      }
    }
  }
}
