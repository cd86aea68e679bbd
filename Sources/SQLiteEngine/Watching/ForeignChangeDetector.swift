import Foundation
import StoreEngine

/// Returns what other processes changed in a store since the last call: the changes that the store's history names,
/// or a note that the changes are not named.
///
/// Made with a watch, and used on its queue alone.
final class ForeignChangeDetector: @unchecked Sendable {
  /// The last transaction of the history that was seen; nil where it is not known what came since the
  /// store was opened, and where there is no history.
  private var transaction: Int64?

  init(_ store: SQLiteStore) {
    guard let opened = store.openedVersion, store.history != nil else { return }
    let last = try? store.lastTransaction()
    if (try? store.pool.foreignVersion()) == opened { transaction = last }
  }

  /// How often the history is read while others go on saving.
  private static let mostReadings = 5

  /// Returns the changes of other processes; the store's version is another than at the last call.
  ///
  /// Another process may save between the poll of the version and the reading of the history. The history names
  /// that save already: the next poll would find another version and nothing in the history that explains
  /// it, and contexts would have to compare all that they have. So this finds out which version the
  /// history that was read belongs to.
  ///
  /// - Parameter version: the version that was seen; becomes the one that has all of the news and nothing more, an
  ///   earlier one where nobody can say.
  func changes(since version: inout Int64?, in store: SQLiteStore) -> ForeignNews {
    var news = ForeignNews()
    guard let history = store.history else {
      add(ForeignChanges(unnamed: [store.origin]), isSave: true, to: &news)
      return news
    }
    do {
      try store.translatingErrors("read the history of") {
        try store.pool.read { connection in
          var seen = version
          for _ in 0..<Self.mostReadings {
            // What is read after a poll has all of that version.
            version = seen
            let content = try store.withHistoryState(of: history, on: connection) { state in
              try read(store, state, into: &news)
              return try connection.contentVersion
            }
            guard case .changed(let present) = try store.poll(since: nil) else { return }
            // Where nobody else, or nobody at all, has written meanwhile, it has no more.
            if try present == seen || connection.presentContentVersion() == content {
              version = present
              return
            }
            seen = present
          }
        }
      }
    } catch {
      Log.storeError("the history of others' saves: \(error.localizedDescription)")
      transaction = nil
      add(ForeignChanges(unnamed: [store.origin]), isSave: true, to: &news)
    }
    return news
  }

  /// Adds what the history tells since the last time.
  private func read(
    _ store: SQLiteStore, _ state: SQLiteHistoryState, into news: inout ForeignNews
  ) throws {
    let unnamed = ForeignChanges(unnamed: [store.origin])
    guard let before = transaction else {
      // Noted before anything is compared: what comes then is told by the history.
      transaction = try state.lastNumber()
      return add(unnamed, isSave: true, to: &news)
    }
    let found = try store.news(after: before, in: state)
    transaction = found.last
    // Without a transaction either the file was tidied up, or somebody wrote who keeps no history.
    guard found.last != before else { return add(unnamed, isSave: false, to: &news) }
    let isNamed = found.isComplete && found.rows.count <= ForeignChanges.namedLimit
    add(
      isNamed ? ForeignChanges(ids: ChangedObjectIDs(found.rows)) : unnamed, isSave: true, to: &news
    )
  }

  private func add(_ changes: ForeignChanges, isSave: Bool, to news: inout ForeignNews) {
    news.changes.append(changes)
    news.isSave = news.isSave || isSave
  }
}
