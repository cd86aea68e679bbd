/// What a kind of store does for the coordinator; the work behind one `NSPersistentStore`.
///
/// Called from any thread; an engine does its own locking.
package protocol StoreEngine: GatheredRowSource, AnyObject, Sendable {
  var isReadOnly: Bool { get }
  /// The metadata as it was last read or saved.
  var metadata: [String: Any] { get }
  /// Whether the store keeps objects of an entity.
  func contains(_ layout: EntityLayout) -> Bool

  /// Whether all objects are tried with what the engine refuses to run (``StatementLimit``): it throws that before it
  /// gives a row. Others throw it to the program.
  var leavesRestToObjects: Bool { get }

  /// Gives the rows of a plan in order, batch after batch.
  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws
  /// Gives the key, entity and version of each row of a plan in order, with a few of its values.
  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws
  /// How many rows a plan gives.
  func count(_ plan: RowQuery) throws -> Int
  /// The dictionaries of a plan.
  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]]
  /// Returns how many dictionaries a plan has.
  func count(_ plan: DictionaryQuery) throws -> Int
  /// How the store would answer: its statement and its database's plan; nothing is read.
  func explain(_ read: ReadOperation) throws -> FetchExplanation
  /// The rows of some keys of one root entity; those that are gone are left out.
  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws
  /// The members of a to-many relationship, for each of some owners, in order where it is ordered.
  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void) throws
  /// The rows of the members of a to-many relationship, owner after owner, each owner's in order where
  /// the relationship is ordered; false, and nothing, where they are better read in two steps.
  func memberRows(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owners: [Int64], _ members: RowBatch) throws -> Void
  ) throws -> Bool
  /// Keys that no other object of the root entity gets, in this process or another.
  func allocateKeys(_ requests: [KeyRequest]) throws -> [Range<Int64>]
  /// Writes a change set in one transaction.
  ///
  /// - Parameters:
  ///   - changes: gets the keys of the new rows, taken in the same transaction, and says which other rows the store
  ///     computed.
  ///   - note: who saves.
  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome
  /// Takes new metadata, which the next save writes; what the store cannot be without stays.
  func stageMetadata(_ metadata: [String: Any])
  /// Writes the metadata that was taken and not written yet.
  func saveMetadata() throws
  /// A reader of the store as it is now, whatever is saved later; nil where there is none.
  func snapshot() throws -> (any StoreEngine)?
  /// Whether rows are best read many at a time; false where each is asked for by itself.
  var readsRowsTogether: Bool { get }
  /// Whether each context uses the store through a session of its own; a store of a program's own gets the context with
  /// each request.
  var usesSessions: Bool { get }
  /// Whether values may lie in files beside the store, which it reads again after a save.
  var keepsValuesInFiles: Bool { get }
  /// Throws when a value that lies in a file could not be read since the store was opened: objects show it as nil.
  func requireReadValues() throws
  /// How many queries the store has run; 0 for engines that do not count them.
  var queryCount: Int { get }
  /// Ends all work with the file.
  func close() throws
}

extension StoreEngine {
  /// Writes a change set that no context saves.
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
  package var usesSessions: Bool { false }
  package var keepsValuesInFiles: Bool { false }
  package func requireReadValues() throws {}
  package var queryCount: Int { 0 }
}
