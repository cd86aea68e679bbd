/// The engine of a custom store between its initialization and its opening. It keeps the metadata, and throws for all
/// requests.
final class UnopenedStore: StoreEngine, @unchecked Sendable {
  let origin = StoreOrigin(identifier: UUID().uuidString, references: ReferenceObjectTable())
  private let lock = NSLock()
  private var lockedMetadata: [String: Any] = [:]

  var isReadOnly: Bool { false }
  var metadata: [String: Any] { lock.withLock { lockedMetadata } }

  func stageMetadata(_ metadata: [String: Any]) {
    lock.withLock { lockedMetadata = metadata }
    if let identifier = metadata[NSStoreUUIDKey] as? String { origin.identifier = identifier }
  }

  // The metadata was read from the store, and is written once it is open.
  func stagedMetadata(over current: [String: Any]) -> [String: Any]? { nil }
  func saveMetadata() throws {}

  private var notOpen: NSError {
    CoreDataError.make(NSPersistentStoreOperationError, "the store is not open")
  }

  func contains(_ layout: EntityLayout) -> Bool { false }
  func fetch(_ plan: RowQuery, batchCapacity: Int, _ body: (RowBatch) throws -> Void) throws {
    throw notOpen
  }
  func fetchKeys(
    _ plan: RowQuery, values expressions: [BoundExpression], _ body: (RowCursor) throws -> Void
  ) throws { throw notOpen }
  func count(_ plan: RowQuery) throws -> Int { throw notOpen }
  func dictionaries(_ plan: DictionaryQuery) throws -> [[String: Any]] { throw notOpen }
  func explain(_ read: ReadOperation) throws -> FetchExplanation { throw notOpen }
  func rows(_ keys: [Int64], of layout: EntityLayout, _ body: (RowBatch) throws -> Void) throws {
    throw notOpen
  }
  func members(
    of slot: Int, layout: EntityLayout, owners: [Int64],
    _ body: (_ owner: Int64, _ member: Int64, _ memberLayout: EntityLayout) throws -> Void
  ) throws { throw notOpen }
  func allocateKeys(_: [KeyRequest]) throws -> [Range<Int64>] { throw notOpen }
  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome { throw notOpen }
  func close() throws {}
}
