import Synchronization
import StoreEngine

/// A store in a SQLite database, in a file or in memory, with the tables of Apple's Core Data.
final class SQLiteStore: StoreEngine, @unchecked Sendable {
  let url: URL
  let origin: StoreOrigin
  let isReadOnly: Bool
  let schema: StoreSchema
  let pool: ConnectionPool
  /// The SQL of statements that read the file.
  let dialect: SQLiteDialect
  /// Nil for a store without persistent history.
  let history: StoreHistory?
  /// The value of `ConnectionPool.foreignVersion()` when the store was opened; nil for a store that is only
  /// read, and if the version could not be read.
  let openedVersion: Int64?
  /// The number of queries that were run.
  let queriesRun = Atomic<Int>(0)
  /// The version of the file's schema that was found to match the store's model; see `requireModel(on:)`.
  let checkedSchema = Atomic<Int64>(-1)
  /// Whether that version of the schema has history tables, to which another process may write.
  let mayHaveHistory = Atomic<Bool>(false)
  /// Computes some derived attributes at the end of a save or batch request.
  let lateDerivations: LateDerivations
  /// Checks that the file still contains this store.
  let uuidCheck: StoreUUIDCheck
  /// The files of external values.
  let external: ExternalStorage
  /// The objects in this process that need these files; nil for a store in memory.
  let externalUse: ExternalUse?
  /// Whether this store is a snapshot that keeps all value files, because it may need files that the file's rows no
  /// longer refer to.
  private var pinsFiles: Bool
  private let sideFiles: SideFiles?
  private let lock = NSLock()
  private var lockedMetadata: StagedMetadata
  private var commitListener: (@Sendable () -> Void)?
  private var decoders: [DecoderKey: RowDecoder] = [:]

  private struct DecoderKey: Hashable {
    let entity: Int
    let withValues: Bool
  }

  init(
    url: URL, origin: StoreOrigin, isReadOnly: Bool, schema: StoreSchema, pool: ConnectionPool,
    dialect: SQLiteDialect, metadata: [String: Any], history: StoreHistory?,
    sideFiles: SideFiles? = nil,
    snapshotOf uuidCheck: StoreUUIDCheck? = nil
  ) {
    let isSnapshot = uuidCheck != nil
    self.history = history
    lateDerivations = LateDerivations(schema)
    external = ExternalStorage(store: url)
    externalUse = StoreLocation(url).isInMemory ? nil : ExternalUse.of(url)
    pinsFiles = isSnapshot
    if isSnapshot { externalUse?.pin() }
    self.sideFiles = sideFiles
    self.url = url
    self.origin = origin
    self.isReadOnly = isReadOnly
    self.schema = schema
    self.pool = pool
    self.dialect = dialect
    lockedMetadata = StagedMetadata(metadata)
    self.uuidCheck =
      uuidCheck ?? StoreUUIDCheck(url, metadata[NSStoreUUIDKey] as? String ?? origin.identifier)
    pool.hold(to: self.uuidCheck)
    // Saves and `openingToken()` compare it, to learn whether another connection has changed the file. A store that is
    // only read is never saved, and its opening token contains the version at that time.
    openedVersion = isReadOnly ? nil : try? pool.foreignVersion()
  }

  var metadata: [String: Any] { lock.withLock { lockedMetadata.values } }

  func contains(_ layout: EntityLayout) -> Bool { schema.contains(layout) }

  func close() throws { end() }

  deinit { end() }

  private func end() {
    pool.close()
    // `close()` and `deinit` both call this method, but the files must be unpinned only once.
    let wasPinned = lock.withLock {
      defer { pinsFiles = false }
      return pinsFiles
    }
    if wasPinned { externalUse?.unpin() }
    sideFiles?.remove()
  }

  func stageMetadata(_ metadata: [String: Any]) {
    lock.withLock { lockedMetadata.stage(metadata, type: NSSQLiteStoreType) }
    // Read the metadata outside of the lock, which `metadata` acquires, too.
    if let identifier = self.metadata[NSStoreUUIDKey] as? String {
      origin.identifier = identifier
      uuidCheck.add(identifier)
    }
  }

  func saveMetadata() throws {
    guard hasStagedMetadata else { return }
    try write("save the metadata of") { transaction in
      // Core Data creates no triggers on the metadata table.
      try transaction.connection.withoutTriggers { try writeMetadata(in: transaction) }
    }
  }

  private var hasStagedMetadata: Bool { lock.withLock { lockedMetadata.isUnwritten } }

  func stagedMetadata(over current: [String: Any]) -> [String: Any]? {
    lock.withLock { lockedMetadata.merged(over: current) }
  }

  /// Writes staged metadata: the keys that the program changed.
  func writeMetadata(in transaction: WriteTransaction) throws {
    guard hasStagedMetadata else { return }
    let current = try StoreMetadata.read(on: transaction.connection, url: url)
    let (merged, changeCount) = lock.withLock {
      (lockedMetadata.merged(over: current), lockedMetadata.changeCount)
    }
    // Nil if another thread has written the metadata in the meantime.
    guard let merged else { return }
    try StoreMetadata.write(merged, on: transaction.connection)
    transaction.afterCommit { [self] in
      lock.withLock { lockedMetadata.wereWritten(merged, changeCount) }
    }
  }

  /// Returns metadata that was just read from the store's file or a copy of the file, with the program's unsaved
  /// changes.
  func metadata(inFile current: [String: Any]) -> [String: Any] {
    stagedMetadata(over: current) ?? current
  }

  func currentMetadata() throws -> [String: Any] {
    try translatingErrors("read the metadata of") {
      metadata(
        inFile: try pool.read { try StoreMetadata.readPartially(on: $0, url: url).metadata })
    }
  }

  var keepsValuesInFiles: Bool { externalUse != nil }
  func requireReadValues() throws { try external.failures.check() }
  var queryCount: Int { queriesRun.load(ordering: .relaxed) }

  func onCommit(_ body: @escaping @Sendable () -> Void) {
    lock.withLock { commitListener = body }
  }

  /// Calls the commit listener. Call this after the commit of a save or batch request.
  func noteCommit() { lock.withLock { commitListener }?() }

  /// Returns the decoder of an entity's rows.
  func decoder(_ layout: EntityLayout, withValues: Bool) -> RowDecoder {
    let key = DecoderKey(entity: layout.index, withValues: withValues)
    return lock.withLock {
      if let decoder = decoders[key] { return decoder }
      let decoder = RowDecoder(
        layout: layout, schema: schema, external: external, files: externalUse,
        withValues: withValues)
      decoders[key] = decoder
      return decoder
    }
  }

  /// Runs `body` and converts SQLite's errors to Core Data's.
  func translatingErrors<Result>(
    _ action: String, code: Int = NSPersistentStoreOperationError, _ body: () throws -> Result
  ) throws -> Result {
    try Self.translating(url, action, code: code) {
      do {
        return try body()
      } catch let error as SQLiteError where StoreErrors.isOfSchema(error) {
        // Another process may have destroyed the store, which leaves an empty file.
        if (try? pool.read(Self.hasTables)) != false { throw error }
        throw StoreErrors.emptied(url, cause: error)
      }
    }
  }
}
