import ArgumentParser
import CoreData

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
      It goes on until it is interrupted (SIGINT, SIGTERM), or for --reports reports; both end with \
      exit code 0. A store that is moved, replaced or destroyed meanwhile is an error.
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

  @Option(
    parsing: .unconditional,
    help: "At most so many rows; one that comes among them pushes the last one out.")
  var limit: Int?

  @Option(help: "table, json (an object a line) or csv.")
  var format: OutputFormat = .table

  @Option(parsing: .unconditional, help: "End after so many reports.")
  var reports: Int?

  func run() throws {
    if let limit, limit < 1 { throw Diagnostic(.usage, "--limit \(limit) is less than 1") }
    if let reports, reports < 0 { throw Diagnostic(.usage, "--reports \(reports) is less than 0") }
    let keys = try sort.map { try SortKey.parse($0) } ?? []
    let names = try columns.map { try ColumnList.parse($0) }
    let opened = try arguments.openForReading()
    defer { opened.close() }
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
    request.sortDescriptors = SortKey.descriptors(keys, section: section)
    // Only the keys of the rows are kept in memory.
    request.fetchBatchSize = RowPrinter.chunkSize
    let ending = WatchEnding(reports: reports)
    let printer = ReportPrinter(
      format: format, columns: chosen, isSectioned: section != nil,
      didPrint: { ending.noteReport() })
    // A store that cannot be read any more ends it.
    opened.coordinator.onStoreFailure { ending.end(with: $1) }
    defer { opened.perform { _ in printer.stop() } }
    try query.fetching {
      try opened.perform { context in
        context.automaticallyMergesChangesFromParent = true
        try printer.begin(request, section: section, in: context)
      }
    }
    try ending.wait()
  }
}
