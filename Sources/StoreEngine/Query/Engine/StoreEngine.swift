/// The implementation of a store type, which one `NSPersistentStore` uses.
///
/// Thread-safe: an engine has its own locks.
package protocol StoreEngine: GatheredRowSource, AnyObject, Sendable {
  var isReadOnly: Bool { get }
  /// The metadata that was last read or saved, with the changes that the program has staged since.
  var metadata: [String: Any] { get }
  /// Returns whether the store contains objects of an entity.
  func contains(_ layout: EntityLayout) -> Bool

  /// Whether requests that the engine cannot run are evaluated on all objects instead. The engine throws a
  /// ``StatementLimit`` error for such a request before it returns a row. If this is false, the program receives that
  /// error.
  var leavesRestToObjects: Bool { get }

  /// Passes the rows of a query to `body` in order, in batches.
  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws
  /// Passes the key, entity and version of each row of a query to `body` in order, with some of its values.
  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws
  /// Returns the number of a query's rows.
  func count(_ plan: RowQuery) throws -> Int
  /// Returns the dictionaries of a query.
  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]]
  /// Returns the number of a query's dictionaries.
  func count(_ plan: DictionaryQuery) throws -> Int
  /// Returns how the store would execute a read: its statement and the plan of its database. Reads nothing.
  func explain(_ read: ReadOperation) throws -> FetchExplanation
  /// Passes the rows with these keys of one root entity to `body`. Skips keys without a row.
  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws
  /// Passes the members of a to-many relationship to `body`, for each owner, in order if the relationship is ordered.
  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void) throws
  /// Passes the rows of the members of a to-many relationship to `body`, owner after owner, and in order if the
  /// relationship is ordered. Returns false without calling `body` if reading the keys before the rows is better.
  func memberRows(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owners: [Int64], _ members: RowBatch) throws -> Void
  ) throws -> Bool
  /// Returns keys for each request, which no other object of its root entity gets, in this process or another.
  func allocateKeys(_ requests: [KeyRequest]) throws -> [Range<Int64>]
  /// Writes a change set in one transaction.
  ///
  /// - Parameters:
  ///   - changes: Receives the keys of the new rows, which are allocated in the same transaction, and the other rows
  ///     whose values the store computed.
  ///   - note: The author and context of the save.
  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome
  /// Replaces the metadata. The next save writes it. Keys that the store requires keep their values if the new metadata
  /// lacks them.
  func stageMetadata(_ metadata: [String: Any])
  /// Returns the current metadata of the store with the program's unwritten changes applied; nil if there are no such
  /// changes.
  func stagedMetadata(over current: [String: Any]) -> [String: Any]?
  /// Writes the staged metadata, if there are unwritten changes.
  func saveMetadata() throws
  /// Returns a reader of the store's current state, which later saves do not change; nil if the engine has none.
  func snapshot() throws -> (any StoreEngine)?
  /// Whether reading many rows at a time is faster. If this is false, each row is read separately.
  var readsRowsTogether: Bool { get }
  /// Whether this is the engine of a custom store, which receives objects where other engines receive rows: it assigns
  /// their IDs before a save, throws the conflicts that it finds, and returns rows with equal sort values in any order.
  var receivesObjects: Bool { get }
  /// Whether each context uses the store through its own session. A custom store receives the context with each
  /// request.
  var usesSessions: Bool { get }
  /// Whether values may be in files next to the store. Contexts read such values again after a save.
  var keepsValuesInFiles: Bool { get }
  /// Throws an error if the file of a value could not be read since the store was opened. Objects show such a value
  /// as nil.
  func requireReadValues() throws
  /// The number of queries that the store has run; 0 for engines that do not count them.
  var queryCount: Int { get }
  /// Closes the store.
  func close() throws
}

extension StoreEngine {
  /// Writes a change set that does not belong to a context.
  package func save(_ changes: ChangeSet) throws -> SaveOutcome {
    var changes = changes
    return try save(&changes, note: SaveNote())
  }

  package func memberRows(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owners: [Int64], _ members: RowBatch) throws -> Void
  ) throws -> Bool { false }

  package func count(_ plan: DictionaryQuery) throws -> Int { try dictionaries(plan).count }

  package func gather(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void
  ) throws {
    try fetchKeys(plan.rows, values: expressions) { row in
      try body(expressions.indices.map(row.value))
    }
  }

  package var groupsRows: Bool { false }
  package var leavesRestToObjects: Bool { false }

  package func snapshot() throws -> (any StoreEngine)? { nil }
  package var readsRowsTogether: Bool { true }
  package var receivesObjects: Bool { false }
  package var usesSessions: Bool { false }
  package var keepsValuesInFiles: Bool { false }
  package func requireReadValues() throws {}
  package var queryCount: Int { 0 }
}
