/// How a store would execute a fetch request: the statement, its parameters and the plan of the database. Explaining
/// a request does not execute it.
///
/// ```swift
/// for explanation in try context.explain(request) {
///   print(explanation.formattedSQL)
///   if !explanation.scans.isEmpty { print("reads every row; an index is missing") }
/// }
/// ```
///
/// Compared to Apple's Core Data: new. There, the launch argument `-com.apple.CoreData.SQLDebug 4` logs similar
/// information while a request runs.
public struct FetchExplanation: Sendable {
  /// The URL of the store; nil for a store in memory without a name, and for an XML or binary store, whose requests
  /// read a copy of the rows in memory.
  public let store: URL?
  /// The statement as it runs. Each `?` is a parameter.
  ///
  /// Values are parameters, except for the constants of an indexed expression and most constants of a condition with
  /// more than 2,000 of them, or with more than a third of the parameters that SQLite allows in a statement.
  public let sql: String
  /// The values of the question marks, in order.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.predicate = NSPredicate(format: "lastName == %@", "Turing")
  /// for explanation in try context.explain(request) {
  ///   print(explanation.parameters.map(\.literal))
  /// }
  /// ```
  public let parameters: [Parameter]
  /// The plan of the database for the statement: SQLite's `EXPLAIN QUERY PLAN`, outermost steps first.
  ///
  /// ```swift
  /// func show(_ steps: [FetchExplanation.Step], indentation: String = "") {
  ///   for step in steps {
  ///     print(indentation + step.text)
  ///     show(step.children, indentation: indentation + "  ")
  ///   }
  /// }
  /// ```
  public let plan: [Step]

  package init(store: URL?, sql: String, parameters: [Parameter], plan: [Step]) {
    self.store = store
    self.sql = sql
    self.parameters = parameters
    self.plan = plan
  }

  /// The statement in a readable layout: one clause per line, indented subqueries, numbered parameters (`?1`).
  ///
  /// It is equivalent to `sql`.
  ///
  /// ```swift
  /// for explanation in try context.explain(request) { print(explanation.formattedSQL) }
  /// ```
  public var formattedSQL: String { SQLFormatter.formatted(sql) }

  /// All steps of the plan, each before its children.
  public var steps: [Step] { plan.flatMap(\.all) }

  /// The names of the indexes that are used to find rows, in the order of the plan, each once.
  ///
  /// A search by primary key is listed as `INTEGER PRIMARY KEY`. An index that SQLite creates only for this statement
  /// is listed as `AUTOMATIC INDEX`.
  public var indexes: [String] {
    var names: [String] = []
    for case .search(_, let index)? in steps.map(\.access) where !names.contains(index) {
      names.append(index)
    }
    return names
  }

  /// The tables that are read completely, by the names that they have in the statement.
  ///
  /// This includes tables that are read completely in the order of an index.
  ///
  /// ```swift
  /// let request = Person.fetchRequest()
  /// request.predicate = NSPredicate(format: "age > 50")
  /// print(try context.explain(request).flatMap(\.scans))  // the table, because no index contains age
  /// ```
  public var scans: [String] {
    steps.compactMap { if case .scan(let table, _)? = $0.access { table } else { nil } }
  }
}
