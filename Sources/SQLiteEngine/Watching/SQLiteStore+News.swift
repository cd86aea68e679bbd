import StoreEngine

/// How far the changes of a SQLite store are known.
struct SQLiteChangeToken: Sendable {
  /// The version of the file, as far as others wrote it (`ConnectionPool.foreignVersion()`), whose changes are known.
  var version: Int64?
  /// The last transaction of the history that is known; nil where it is not known what came since the store was
  /// opened, and where there is no history.
  var transaction: Int64?
}

/// What others changed in the store: the changes that its history names, or a note that the changes are not named.
extension SQLiteStore {
  func openingToken() -> SQLiteChangeToken {
    var last: Int64?
    if let openedVersion, history != nil {
      last = try? lastTransaction()
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

  /// How often the history is read while others go on saving.
  private static let mostReadings = 5

  /// Returns the changes of others since a token's transaction; the token's version is the one that a poll found.
  ///
  /// Another process may save between the poll of the version and the reading of the history. The history names
  /// that save already: the next poll would find another version and nothing in the history that explains
  /// it, and contexts would have to compare all that they have. So this finds out which version the
  /// history that was read belongs to: the token gets the one that has all of the news and nothing more, an earlier
  /// one where that cannot be known.
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
          for _ in 0..<Self.mostReadings {
            // What is read after a poll has all of that version.
            token.version = seen
            let content = try withHistoryState(of: history, on: connection) { state in
              try read(state, since: &token, into: &news)
              return try connection.contentVersion
            }
            guard case .changed(let present) = try poll(since: nil) else { return }
            // Where no other connection, or none at all, has written meanwhile, it has no more.
            if try present == seen || connection.presentContentVersion() == content {
              token.version = present
              return
            }
            seen = present
          }
        }
      }
    } catch {
      Log.storeError("the history of others' saves: \(error.localizedDescription)")
      token.transaction = nil
      news.add(unnamedChanges, isSave: true)
    }
    return news
  }

  private var unnamedChanges: ForeignChanges { ForeignChanges(unnamed: [origin]) }

  /// Adds what the history names after a token's transaction.
  private func read(
    _ state: SQLiteHistoryState, since token: inout SQLiteChangeToken, into news: inout ForeignNews
  ) throws {
    guard let before = token.transaction else {
      // Read before anything is compared: the history names what comes then.
      token.transaction = try state.lastNumber()
      return news.add(unnamedChanges, isSave: true)
    }
    let found = try state.news(after: before)
    token.transaction = found.last
    // Without a transaction either the file was tidied up, or a program wrote that keeps no history.
    guard found.last != before else { return news.add(unnamedChanges, isSave: false) }
    let isNamed = found.isComplete && found.rows.count <= ForeignChanges.namedLimit
    news.add(
      isNamed ? ForeignChanges(ids: ChangedObjectIDs(found.rows)) : unnamedChanges, isSave: true)
  }
}
