import StoreEngine

/// The position in the changes to a SQLite store up to which they are known.
struct SQLiteChangeToken: Sendable {
  /// The last known version of the file, which changes when another connection writes
  /// (`ConnectionPool.foreignVersion()`).
  var version: Int64?
  /// The last known transaction of the history; nil if the changes since the store was opened are unknown, or
  /// if the store has no history.
  var transaction: Int64?
}

/// Changes by other connections. With a history, the store knows which rows changed; without one, it
/// only knows that something changed.
extension SQLiteStore {
  func openingToken() -> SQLiteChangeToken {
    var last: Int64?
    if let openedVersion, history != nil {
      last = try? lastTransaction()
      // If another connection has written since the store was opened, that transaction may be its
      // save, whose changes would never be reported.
      if (try? pool.foreignVersion()) != openedVersion { last = nil }
    }
    return SQLiteChangeToken(
      version: openedVersion ?? (try? pool.foreignVersion()), transaction: last)
  }

  func news(since token: inout SQLiteChangeToken) throws -> ForeignNews {
    guard case .changed(let version) = try poll(since: token.version) else { return ForeignNews() }
    token.version = version
    return changes(since: &token)
  }

  /// The maximum number of times that the history is read while other connections keep saving.
  private static let mostReadings = 5

  /// Returns the changes by other connections after a token's transaction, and updates the token.
  ///
  /// The token must contain the version that a poll found. The method sets this to the version of the file that was
  /// read, or to an earlier version if that cannot be determined.
  func changes(since token: inout SQLiteChangeToken) -> ForeignNews {
    var news = ForeignNews()
    guard let history else {
      news.add(unnamedChanges, isSave: true)
      return news
    }
    do {
      try translatingErrors("read the history of") {
        try pool.read { connection in
          var seen = token.version
          // Another process may save between the poll and the reading of the history. Then the history already contains
          // that save, and the next poll would find a new version without a new transaction, so that contexts would
          // have to compare all of their objects. So this loop determines the version that was read.
          for _ in 0..<Self.mostReadings {
            // What is read after a poll includes all changes of that version.
            token.version = seen
            let content = try withHistoryState(of: history, on: connection) { state in
              try read(state, since: &token, into: &news)
              return try connection.contentVersion
            }
            guard case .changed(let present) = try poll(since: nil) else { return }
            // The version that was read is the present one if no other connection has written since
            // the last poll, or if no connection at all has written since the reading.
            if try present == seen || connection.presentContentVersion() == content {
              token.version = present
              return
            }
            seen = present
          }
        }
      }
    } catch {
      Log.storeError(
        "the history of other connections' saves cannot be read: \(error.localizedDescription)")
      token.transaction = nil
      news.add(unnamedChanges, isSave: true)
    }
    return news
  }

  private var unnamedChanges: ForeignChanges { ForeignChanges(unnamed: [origin]) }

  /// Adds the changes of the history after a token's transaction.
  private func read(
    _ state: SQLiteHistoryState, since token: inout SQLiteChangeToken, into news: inout ForeignNews
  ) throws {
    guard let before = token.transaction else {
      // Read before contexts compare their objects, because the history contains all later changes.
      token.transaction = try state.lastNumber()
      return news.add(unnamedChanges, isSave: true)
    }
    let found = try state.news(after: before)
    token.transaction = found.last
    // Without a new transaction, another connection only maintained the file, or a program that records no history
    // wrote to it.
    guard found.last != before else { return news.add(unnamedChanges, isSave: false) }
    let isNamed = found.isComplete && found.rows.count <= ForeignChanges.namedLimit
    news.add(
      isNamed ? ForeignChanges(ids: ChangedObjectIDs(found.rows)) : unnamedChanges, isSave: true)
  }
}
