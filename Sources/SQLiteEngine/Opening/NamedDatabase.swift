import StoreEngine
import CSQLite

/// A database in memory that the coordinators of this process share by its name: the database of a store at
/// `/dev/null/NAME`.
///
/// All coordinators share one connection, which one caller uses at a time. SQLite has two ways to share a database in
/// memory between connections, and in both a reader cannot begin while another connection writes: a shared cache
/// returns `SQLITE_LOCKED` immediately, and the `memdb` file system sleeps until a timeout and then returns
/// `SQLITE_BUSY`. A single lock causes neither errors nor sleeps, and works with every SQLite version.
///
/// The database exists as long as a store that uses it is open. A database that is filled before any store has opened
/// it is kept until a store opens it (``keepOpen()``).
final class NamedDatabase: @unchecked Sendable {
  /// The lock of the connection.
  let lock = NSRecursiveLock()
  /// The number of times that the content was changed or replaced.
  private(set) var changeCount = 0
  private(set) var connection: SQLiteConnection

  private init() throws {
    connection = try Self.connect()
  }

  private static func connect() throws -> SQLiteConnection {
    try SQLiteConnection(path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
  }

  /// Runs `body` with the connection. If `body` inserted, updated or deleted rows, calls `didChange`
  /// and then the listeners.
  func use<Result>(
    _ body: (SQLiteConnection) throws -> Result, didChange: () -> Void = {}
  ) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    let connection = connection
    let before = sqlite3_total_changes(connection.handle)
    defer {
      if sqlite3_total_changes(connection.handle) != before {
        changeCount += 1
        didChange()
        notifyListeners()
      }
    }
    return try body(connection)
  }

  /// Replaces the content atomically, for all stores that have the database open.
  ///
  /// - Parameter fill: Fills an empty database.
  func replace(_ fill: (SQLiteConnection) throws -> Void) throws {
    // Fill the new database without the lock, so that other callers wait only for the exchange.
    let new = try Self.connect()
    do {
      try fill(new)
    } catch {
      new.close()
      throw error
    }
    lock.withLock {
      // An open store keeps its model, so the triggers of the model's indexes must stay allowed.
      if connection.allowsIndexTriggers { new.allowIndexTriggers() }
      // The old connection is not closed here, because a caller that replaces the database inside `use` still uses it.
      connection = new
      changeCount += 1
      notifyListeners()
    }
  }

  // MARK: Listeners

  private var listeners: [Listener] = []

  private struct Listener {
    weak var owner: AnyObject?
    let didWrite: @Sendable () -> Void
  }

  /// Calls `didWrite` after each change, as long as `owner` exists. It is called on the thread of the change, and
  /// must not block.
  func listen(_ owner: AnyObject, _ didWrite: @escaping @Sendable () -> Void) {
    lock.withLock { listeners.append(Listener(owner: owner, didWrite: didWrite)) }
  }

  private func notifyListeners() {
    if listeners.isEmpty { return }
    listeners.removeAll { $0.owner == nil }
    for listener in listeners { listener.didWrite() }
  }

  // MARK: Names

  private static let registryLock = NSLock()
  nonisolated(unsafe) private static var databases: [String: Reference] = [:]

  /// The databases that are kept even if no store has them open.
  nonisolated(unsafe) private static var kept: [ObjectIdentifier: NamedDatabase] = [:]

  private struct Reference {
    weak var database: NamedDatabase?
  }

  /// Keeps the database until ``stopKeeping()``, even if no store has it open.
  func keepOpen() { Self.registryLock.withLock { Self.kept[ObjectIdentifier(self)] = self } }

  /// Reverts ``keepOpen()``. The database is freed when no store has it open.
  func stopKeeping() {
    _ = Self.registryLock.withLock { Self.kept.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Returns the database with a name; nil if it does not exist.
  static func existing(_ name: String) -> NamedDatabase? {
    registryLock.withLock { databases[name]?.database }
  }

  /// Returns the database with a name, creating one without tables if it does not exist.
  static func named(_ name: String) throws -> NamedDatabase {
    // Coordinators that open a name at the same time must get the same database.
    try registryLock.withLock {
      if let database = databases[name]?.database { return database }
      databases = databases.filter { $0.value.database != nil }
      let database = try NamedDatabase()
      databases[name] = Reference(database: database)
      return database
    }
  }
}
