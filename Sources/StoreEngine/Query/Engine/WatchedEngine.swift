/// An engine that can say what others saved to its store: another process, or another coordinator.
package protocol WatchedEngine: StoreEngine {
  /// A place in the changes of a store, which only its engine understands: how far a file's history was read, or
  /// what a transaction of a server sees.
  associatedtype ChangeToken: Sendable

  /// Returns the place where the store was when it was opened: what others changed after that is news.
  func openingToken() -> ChangeToken
  /// Returns what others changed after a place, and moves the place behind it, so that the next call misses nothing
  /// and repeats nothing. Saves of this engine are left out. Where the rows are not known, the news say so.
  ///
  /// - Throws: when the store cannot be read any more; the place stays then.
  func news(since token: inout ChangeToken) throws -> ForeignNews
  /// Begins to watch, until the result is released.
  ///
  /// - Parameter wake: called when others may have changed something, first soon after the watch begins. It is a hint:
  ///   calls may be in vain, and several changes may lead to one. All calls are on one queue.
  func watch(_ wake: @escaping @Sendable () -> Void) -> any EngineWatch
  /// Has `body` called after each save and batch request of this store, by whoever made it.
  func onCommit(_ body: @escaping @Sendable () -> Void)
}

/// A store that is being watched, until this is released.
package protocol EngineWatch: AnyObject, Sendable {
  /// How often it woke its user.
  var pollCount: Int { get }
}
