import Foundation
import ObjectModel
import Synchronization

/// A store in a SQLite file with Apple's tables.
final class SQLiteStore: StoreEngine, @unchecked Sendable {
  let url: URL
  let origin: StoreOrigin
  let isReadOnly: Bool
  let schema: StoreSchema
  let pool: ConnectionPool
  /// What `ConnectionPool.foreignVersion()` was when the store was opened.
  let openedVersion: Int64?
  /// How many queries were run.
  let queryCount = Atomic<Int>(0)
  /// Where values are kept that are not in the file, and who keeps those in this process; nil in
  /// memory.
  let external: ExternalStorage
  let externalUse: ExternalUse?
  /// Whether this is the reader of a state, which may need files that nothing names any more.
  private var pinsFiles: Bool
  private let sideFiles: SideFiles?
  private let lock = NSLock()
  private var lockedMetadata: [String: Any]
  private var hasStagedMetadata = false
  private var commitListener: (@Sendable () -> Void)?
  private var readers: [ReaderKey: SQLiteRowReader] = [:]

  private struct ReaderKey: Hashable {
    let entity: Int
    let withValues: Bool
  }

  init(
    url: URL, origin: StoreOrigin, isReadOnly: Bool, schema: StoreSchema, pool: ConnectionPool,
    metadata: [String: Any], sideFiles: SideFiles? = nil, isSnapshot: Bool = false
  ) {
    external = ExternalStorage(store: url)
    externalUse = Self.isInMemory(url) ? nil : ExternalUse.of(url)
    pinsFiles = isSnapshot
    if isSnapshot { externalUse?.pin() }
    self.sideFiles = sideFiles
    self.url = url
    self.origin = origin
    self.isReadOnly = isReadOnly
    self.schema = schema
    self.pool = pool
    self.lockedMetadata = metadata
    // A reader never asks who changed the file.
    openedVersion = isReadOnly ? nil : try? pool.foreignVersion()
  }

  var metadata: [String: Any] { lock.withLock { lockedMetadata } }

  func contains(_ layout: EntityLayout) -> Bool { schema.contains(layout) }

  func close() throws { end() }

  deinit { end() }

  private func end() {
    pool.close()
    let wasPinned = lock.withLock {
      defer { pinsFiles = false }
      return pinsFiles
    }
    if wasPinned { externalUse?.unpin() }
    sideFiles?.remove()
  }

  func stageMetadata(_ metadata: [String: Any]) {
    lock.withLock {
      lockedMetadata = StoreMetadata.completed(
        metadata, from: lockedMetadata, type: NSSQLiteStoreType)
      hasStagedMetadata = true
    }
    if let identifier = self.metadata[NSStoreUUIDKey] as? String { origin.identifier = identifier }
  }

  func saveMetadata() throws {
    guard lock.withLock({ hasStagedMetadata }) else { return }
    try translatingErrors("save the metadata of", code: NSPersistentStoreSaveError) {
      try pool.write { connection in
        try connection.transaction { try writeMetadata(on: connection) }
      }
    }
    didWriteMetadata()
  }

  /// Writes staged metadata inside a transaction; `didWriteMetadata()` follows when that is done.
  func writeMetadata(on connection: SQLiteConnection) throws {
    let staged = lock.withLock { hasStagedMetadata ? lockedMetadata : nil }
    if let staged { try StoreMetadata.write(staged, on: connection) }
  }

  func didWriteMetadata() { lock.withLock { hasStagedMetadata = false } }

  /// Has `body` called after each save and batch request of this store, by whoever made it.
  func onCommit(_ body: @escaping @Sendable () -> Void) {
    lock.withLock { commitListener = body }
  }

  /// A save or batch request is committed.
  func noteCommit() { lock.withLock { commitListener }?() }

  /// The reader of an entity's rows.
  func reader(_ layout: EntityLayout, withValues: Bool) -> SQLiteRowReader {
    let key = ReaderKey(entity: layout.index, withValues: withValues)
    return lock.withLock {
      if let reader = readers[key] { return reader }
      let reader = SQLiteRowReader(
        layout: layout, schema: schema, external: external, files: externalUse,
        withValues: withValues)
      readers[key] = reader
      return reader
    }
  }

  /// Runs `body`, turning SQLite's errors into Core Data's.
  func translatingErrors<Result>(
    _ action: String, code: Int = NSPersistentStoreOperationError, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      // Somebody may have destroyed the store under us, and left the file.
      if StoreErrors.isOfSchema(error), (try? pool.read(Self.hasTables)) == false {
        throw StoreErrors.emptied(url, cause: error)
      }
      throw StoreErrors.translate(error, action, url, code: code)
    }
  }
}
