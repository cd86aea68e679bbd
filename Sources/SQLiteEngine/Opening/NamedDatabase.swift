import StoreEngine
import CSQLite

/// A database in memory that the coordinators of this process share by its name: that of a store at
/// `/dev/null/NAME`.
///
/// It is one connection for all of them, and one at a time has it. SQLite has two ways to share a
/// database in memory between connections, and in both a reader cannot begin while another one
/// writes: a shared cache answers `SQLITE_LOCKED` at once, the `memdb` file system `SQLITE_BUSY`
/// until a timeout, which waits by sleeping. One lock has neither an error nor a sleep, and works
/// with every SQLite.
///
/// It is there as long as a store is open that uses it; one that was filled beforehand, until a
/// store is opened.
final class NamedDatabase: @unchecked Sendable {
  /// Whoever uses the connection holds it.
  let lock = NSRecursiveLock()
  /// How many times somebody changed something.
  private(set) var changeCount = 0
  private(set) var connection: SQLiteConnection

  private init() throws {
    connection = try Self.connect()
  }

  deinit { connection.close() }

  private static func connect() throws -> SQLiteConnection {
    try SQLiteConnection(path: ":memory:", mode: .readWriteCreate, busyTimeout: 0)
  }

  /// Runs `body` with the connection, and says so when it changed something.
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

  /// Puts another content in the place of this one, for all who use it: all or nothing.
  ///
  /// - Parameter fill: fills an empty database.
  func replace(_ fill: (SQLiteConnection) throws -> Void) throws {
    let new = try Self.connect()
    do {
      try fill(new)
    } catch {
      new.close()
      throw error
    }
    lock.withLock {
      // A store that is open goes on with its model.
      if connection.allowsIndexTriggers { new.allowIndexTriggers() }
      connection.close()
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

  /// Has `didWrite` called when somebody changed something, as long as `owner` is there. It is called by
  /// whoever did it, and must not wait.
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

  /// The databases that are kept though no store has them open.
  nonisolated(unsafe) private static var kept: [ObjectIdentifier: NamedDatabase] = [:]

  private struct Reference {
    weak var database: NamedDatabase?
  }

  /// Keeps the database until ``stopKeeping()``, though no store has it open.
  func keepOpen() { Self.registryLock.withLock { Self.kept[ObjectIdentifier(self)] = self } }

  /// Ends ``keepOpen()``: the database ends with the last store that has it open.
  func stopKeeping() {
    _ = Self.registryLock.withLock { Self.kept.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// The database of a name, if somebody has it.
  static func existing(_ name: String) -> NamedDatabase? {
    registryLock.withLock { databases[name]?.database }
  }

  /// The database of a name; a new one has no tables.
  static func named(_ name: String) throws -> NamedDatabase {
    try registryLock.withLock {
      if let database = databases[name]?.database { return database }
      databases = databases.filter { $0.value.database != nil }
      let database = try NamedDatabase()
      databases[name] = Reference(database: database)
      return database
    }
  }
}
