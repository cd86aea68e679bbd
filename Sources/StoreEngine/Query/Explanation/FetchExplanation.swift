/// How one store would answer a fetch request: the statement, its parameters and the plan of the
/// database for it. Nothing is fetched to find out.
///
/// ```swift
/// for explanation in try context.explain(request) {
///   print(explanation.formattedSQL)
///   if !explanation.scans.isEmpty { print("reads every row; an index is missing") }
/// }
/// ```
///
/// Compared to Apple's Core Data: new. There, the launch argument `-com.apple.CoreData.SQLDebug 4`
/// writes the like to the log while a request runs.
public struct FetchExplanation: Sendable {
  /// The store's file; nil for a store that has none.
  public let store: URL?
  /// The statement as it is run. No value stands in it; each `?` is a parameter.
  public let sql: String
  /// The values of the question marks, in their order.
  public let parameters: [Parameter]
  /// The database's plan for the statement: SQLite's `EXPLAIN QUERY PLAN`, outermost steps first.
  public let plan: [Step]

  package init(store: URL?, sql: String, parameters: [Parameter], plan: [Step]) {
    self.store = store
    self.sql = sql
    self.parameters = parameters
    self.plan = plan
  }

  /// The statement for people: a clause a line, subqueries indented, parameters numbered (`?1`).
  ///
  /// It means the same as `sql`.
  public var formattedSQL: String { SQLFormatter.formatted(sql) }

  /// All steps of the plan, each before its children.
  public var steps: [Step] { plan.flatMap(\.all) }

  /// The indexes that rows are found by, in the order of the plan, each once.
  ///
  /// A search by primary key is named `INTEGER PRIMARY KEY`; an index that SQLite makes for this
  /// statement alone `AUTOMATIC INDEX`.
  public var indexes: [String] {
    var names: [String] = []
    for case .search(_, let index)? in steps.map(\.access) where !names.contains(index) {
      names.append(index)
    }
    return names
  }

  /// The tables, by the names they have in the statement, of which every row is read.
  ///
  /// Reading all rows along an index, in its order, is a scan too.
  public var scans: [String] {
    steps.compactMap { if case .scan(let table, _)? = $0.access { table } else { nil } }
  }
}
