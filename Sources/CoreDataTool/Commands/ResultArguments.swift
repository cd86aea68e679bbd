import ArgumentParser
import CoreData
import StoreInspection

/// The arguments that select a store, an entity, its rows, their order, and the output format.
struct ResultArguments: ParsableArguments {
  @OptionGroup var store: StoreArguments

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Condition that selects the rows.", valueName: "predicate"))
  var condition: String?

  @Option(
    help: ArgumentHelp(
      "Only these rows, by their IDs in the tool's output: p4,p7.", valueName: "ids")
  )
  var id: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Sort order: name,-age sorts by name, then by age descending.", valueName: "keys"))
  var sort: String?

  @Option(
    help: ArgumentHelp("Group the rows into sections by the value of a key.", valueName: "key"))
  var section: String?

  @Option(
    help: ArgumentHelp("Properties to show, in this order: name,team.name.", valueName: "names"))
  var columns: String?

  @Option(parsing: .unconditional, help: "Maximum number of rows.")
  var limit: Int?

  @Option(help: "table, json (one object per line) or csv.")
  var format: OutputFormat = .table

  @OptionGroup var formulas: FormulaArguments

  /// The request that the arguments describe, in an opened store.
  struct Results {
    let opened: OpenedStore
    let query: RowSelection
    let request: NSFetchRequest<NSManagedObject>
    let columns: [ResultColumn]
  }

  /// Opens the store for reading, after checking those arguments that can be checked without it, and runs a block that
  /// prints the results; see ``StoreArguments/reading(isImmutable:_:)``.
  func reading(isImmutable: Bool = false, _ body: (Results) throws -> Void) throws {
    let parsed = try parsed()
    try store.reading(isImmutable: isImmutable) { try body(try results(parsed, in: $0)) }
  }

  /// Returns the request that the arguments describe, in a store that is already open.
  func results(in opened: OpenedStore) throws -> Results {
    try results(try parsed(), in: opened)
  }

  private typealias Parsed = (keys: [SortTerm], names: [String]?)

  private func parsed() throws -> Parsed {
    (try sort.map { try SortTerm.parse($0) } ?? [], try columns.map { try ColumnList.parse($0) })
  }

  private func results(_ parsed: Parsed, in opened: OpenedStore) throws -> Results {
    let (keys, names) = parsed
    let entity = try opened.entity(named: entity)
    let query = try opened.perform {
      try RowSelection(entity: entity, where: condition, ids: id, in: $0)
    }
    for key in keys { try SortCheck.requireSortable(key.key, of: entity, use: "--sort") }
    if let section { try SortCheck.requireSortable(section, of: entity, use: "--section") }
    let chosen =
      try names.map { names in
        try names.map { try ResultColumn.column($0, of: entity, use: "--columns") }
      } ?? ResultColumn.all(of: entity)
    opened.noteModel()
    let request = query.request()
    // In a request 0 means no limit; the commands handle `--limit 0` themselves.
    request.fetchLimit = limit ?? 0
    request.sortDescriptors = SortTerm.terms(keys, section: section).map(\.descriptor)
    return Results(opened: opened, query: query, request: request, columns: chosen)
  }
}
