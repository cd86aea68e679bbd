import Foundation

/// Says what others did to a store since it was asked the last time: what the store's history tells, or
/// that nobody names it.
///
/// Made with a watch, and used on its queue alone.
final class ForeignReader: @unchecked Sendable {
  /// The last transaction of the history that was seen; nil where it is not known what came since the
  /// store was opened, and where there is no history.
  private var transaction: Int64?

  init(_ store: SQLiteStore) {
    guard let opened = store.openedVersion, store.history != nil else { return }
    let last = try? store.lastTransaction()
    if (try? store.pool.foreignVersion()) == opened { transaction = last }
  }

  /// What contexts are to merge, and whether somebody saved rather than tidied the file up.
  func changes(in store: SQLiteStore) -> (changes: ForeignChanges, isSave: Bool) {
    let unnamed = ForeignChanges(unnamed: [store.origin])
    do {
      guard let before = transaction else {
        // Noted before anything is compared: what comes then is told by the history.
        transaction = try store.lastTransaction()
        return (unnamed, true)
      }
      guard let news = try store.news(after: before) else { return (unnamed, true) }
      transaction = news.last
      // Without a transaction either the file was tidied up, or somebody wrote who keeps no history.
      guard news.last != before else { return (unnamed, false) }
      guard news.isComplete, news.rows.count <= ForeignChanges.namedLimit else {
        return (unnamed, true)
      }
      return (ForeignChanges(ids: SavedIDs(news.rows)), true)
    } catch {
      Log.storeError("the history of others' saves: \(error.localizedDescription)")
      transaction = nil
      return (unnamed, true)
    }
  }
}
