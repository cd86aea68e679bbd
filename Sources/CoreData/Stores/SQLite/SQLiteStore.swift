import Foundation
import ObjectModel

/// A store in a SQLite file with Apple's tables.
final class SQLiteStore: StoreEngine, @unchecked Sendable {
  let url: URL
  let origin: StoreOrigin
  let isReadOnly: Bool
  let schema: StoreSchema
  let pool: ConnectionPool
  private let lock = NSLock()
  private var lockedMetadata: [String: Any]
  private var readers: [ReaderKey: SQLiteRowReader] = [:]

  private struct ReaderKey: Hashable {
    let entity: Int
    let withValues: Bool
  }

  init(
    url: URL, origin: StoreOrigin, isReadOnly: Bool, schema: StoreSchema, pool: ConnectionPool,
    metadata: [String: Any]
  ) {
    self.url = url
    self.origin = origin
    self.isReadOnly = isReadOnly
    self.schema = schema
    self.pool = pool
    self.lockedMetadata = metadata
  }

  var metadata: [String: Any] { lock.withLock { lockedMetadata } }

  func contains(_ layout: EntityLayout) -> Bool { schema.contains(layout) }

  func close() throws { pool.close() }

  func setMetadata(_ metadata: [String: Any]) throws {
    try translatingErrors("save the metadata of") {
      try pool.write { connection in
        try connection.transaction { try StoreMetadata.write(metadata, on: connection) }
      }
    }
    lock.withLock { lockedMetadata = metadata }
  }

  /// The reader of an entity's rows.
  func reader(_ layout: EntityLayout, withValues: Bool) -> SQLiteRowReader {
    let key = ReaderKey(entity: layout.index, withValues: withValues)
    return lock.withLock {
      if let reader = readers[key] { return reader }
      let reader = SQLiteRowReader(layout: layout, schema: schema, withValues: withValues)
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
      throw StoreErrors.translate(error, action, url, code: code)
    }
  }
}
