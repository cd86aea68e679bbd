/// An engine that notices what others save to its store.
package protocol WatchedEngine: StoreEngine {
  /// Begins to watch; what was written since the store was opened is noticed at once. The watch ends with the answer.
  func watch(_ listener: StoreListener) -> any EngineWatch
  /// Has `body` called after each save and batch request of this store, by whoever made it.
  func onCommit(_ body: @escaping @Sendable () -> Void)
}

/// What is to be done when others save to a store that is watched: all of it on the watch's queue.
package struct StoreListener: Sendable {
  /// Whether the changes are wanted; otherwise they are not read.
  package let isWanted: @Sendable () -> Bool
  /// Called with what others did since the last time.
  package let didChange: @Sendable (ForeignNews) -> Void
  /// Called when the store cannot be read any more, once until it can be again.
  package let didFail: @Sendable (any Error) -> Void

  package init(
    isWanted: @escaping @Sendable () -> Bool, didChange: @escaping @Sendable (ForeignNews) -> Void,
    didFail: @escaping @Sendable (any Error) -> Void
  ) {
    self.isWanted = isWanted
    self.didChange = didChange
    self.didFail = didFail
  }
}

/// A store that is being watched, until this is released.
package protocol EngineWatch: AnyObject, Sendable {
  /// How often the store was polled.
  var pollCount: Int { get }
}
