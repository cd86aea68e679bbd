extension NotificationCenter {
  /// Returns the notifications with a name that are posted after an iteration begins.
  ///
  /// ```swift
  /// for await _ in NotificationCenter.default.notifications(named: .NSPersistentStoreRemoteChange) {
  ///   context.refreshAllObjects()
  /// }
  /// ```
  ///
  /// A slow reader misses no notification. The observation ends with the iteration, or when the task is cancelled.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil)
    -> Notifications
  {
    Notifications(center: self, name: name, object: object)
  }

  /// An asynchronous sequence of posted notifications.
  public struct Notifications: AsyncSequence, @unchecked Sendable {
    /// The posted notification.
    public typealias Element = Notification
    /// Iterating never throws.
    public typealias Failure = Never

    fileprivate let center: NotificationCenter
    fileprivate let name: Notification.Name
    fileprivate let object: AnyObject?

    /// Begins to observe the notifications.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// An iterator that returns one notification after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var posted: AsyncStream<Posted>.AsyncIterator

      fileprivate init(_ notifications: Notifications) {
        // The closure runs immediately, so the observation begins here and not with the first `next()`.
        // The buffer is unbounded by default, so a slow reader misses nothing.
        let stream = AsyncStream<Posted> { continuation in
          let token = Token(
            value: notifications.center.addObserver(
              forName: notifications.name, object: notifications.object, queue: nil
            ) { continuation.yield(Posted(notification: $0)) })
          continuation.onTermination = { _ in
            notifications.center.removeObserver(token.value)
          }
        }
        posted = stream.makeAsyncIterator()
      }

      /// Waits for the next notification and returns it; nil if the task was cancelled.
      public mutating func next() async -> Notification? { await posted.next()?.notification }
    }

    // Unchecked, because `Notification` is not `Sendable`. A notification center also passes it to block observers
    // without a check.
    private struct Posted: @unchecked Sendable { let notification: Notification }
    private struct Token: @unchecked Sendable { let value: any NSObjectProtocol }
  }
}
