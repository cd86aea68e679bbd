/// An engine that can report what other processes and coordinators save in its store.
package protocol WatchedEngine: StoreEngine {
  /// A position in the changes to a store, which only its engine interprets: how far a file's history was read, or
  /// which transactions of a server are visible.
  associatedtype ChangeToken: Sendable

  /// Returns the position at which the store was opened. `news(since:)` returns the changes that other connections made
  /// after it.
  func openingToken() -> ChangeToken
  /// Returns the changes that other connections made after a position, and moves the position past them, so that
  /// the next call neither misses nor repeats a change. Saves of this engine are not included. If the changed rows are
  /// unknown, the result says so.
  ///
  /// - Throws: If the store can no longer be read. In this case, the position is unchanged.
  func news(since token: inout ChangeToken) throws -> ForeignNews
  /// Watches the store until the result is released.
  ///
  /// - Parameter wake: Called when another connection may have changed something, first shortly after the watch
  ///   begins. A call does not guarantee that there are changes, and may stand for several. All calls are on one
  ///   queue.
  func watch(_ wake: @escaping @Sendable () -> Void) -> any EngineWatch
  /// Calls `body` after each save and batch request of this store, whichever context made it.
  func onCommit(_ body: @escaping @Sendable () -> Void)
}

/// A watch of a store. It ends when this object is released.
package protocol EngineWatch: AnyObject, Sendable {
  /// The number of calls of `wake` so far.
  var pollCount: Int { get }
}
