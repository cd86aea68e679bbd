import ArgumentParser
import CoreData
import StoreInspection

/// The store, the entity, and which of its rows are shown, in what order and form.
struct ResultArguments: ParsableArguments {
  @OptionGroup var store: StoreArguments

  @Argument(help: "The entity.")
  var entity: String

  @Option(
    name: .customLong("where"), parsing: .unconditional,
    help: ArgumentHelp("Which rows.", valueName: "predicate"))
  var condition: String?

  @Option(
    help: ArgumentHelp("Only these rows, by the IDs that the tool prints: p4,p7.", valueName: "ids")
  )
  var id: String?

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

  @Option(help: "table, json (an object a line) or csv.")
  var format: OutputFormat = .table

  @OptionGroup var formulas: FormulaArguments

  /// What is asked for, in the opened store.
  struct Results {
    let opened: OpenedStore
    let query: RowSelection
    let request: NSFetchRequest<NSManagedObject>
    let columns: [ResultColumn]
  }

  /// Opens the store for reading; a mistake in the arguments is found before that, or with the model.
  func open(isImmutable: Bool = false) throws -> Results {
    let parsed = try parsed()
    let opened = try store.openForReading(isImmutable: isImmutable)
    do {
      return try results(parsed, in: opened)
    } catch {
      opened.close()
      throw error
    }
  }

  /// What is asked for, in a store that is open already.
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
    request.fetchLimit = limit ?? 0
    request.sortDescriptors = SortTerm.terms(keys, section: section).map(\.descriptor)
    return Results(opened: opened, query: query, request: request, columns: chosen)
  }
}
