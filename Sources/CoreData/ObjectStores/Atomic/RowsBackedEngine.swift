/// An engine whose rows are in a SQLite database in memory, which executes all read requests.
protocol RowsBackedEngine: StoreEngine {
  var rows: any RowStorage { get }
  /// Sets the file of the store. The next save writes the store to this file.
  func move(to url: URL)
}

extension RowsBackedEngine {
  var origin: StoreOrigin { rows.origin }

  func contains(_ layout: EntityLayout) -> Bool { rows.contains(layout) }

  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws {
    try rows.fetch(plan, batchCapacity: batchCapacity, body)
  }

  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws {
    try rows.fetchKeys(plan, values: expressions, body)
  }

  func count(_ plan: RowQuery) throws -> Int { try rows.count(plan) }

  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]] {
    try rows.dictionaries(plan)
  }

  func count(_ plan: DictionaryQuery) throws -> Int { try rows.count(plan) }

  func gather(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void
  ) throws {
    try rows.gather(expressions, of: plan, isGrouped: isGrouped, body)
  }

  var groupsRows: Bool { rows.groupsRows }

  /// True: all rows are in memory, so conditions that SQL cannot express are cheap to evaluate on objects.
  var leavesRestToObjects: Bool { true }

  func explain(_ read: ReadOperation) throws -> FetchExplanation { try rows.explain(read) }

  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    try rows.rows(keys, of: layout, body)
  }

  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void
  ) throws {
    try rows.members(of: slot, layout: layout, owners: owners, body)
  }
}
