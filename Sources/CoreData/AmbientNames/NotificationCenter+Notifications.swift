extension NotificationCenter {
  /// The notifications of a name, as they are posted, from when somebody begins to go through them.
  ///
  /// ```swift
  /// for await _ in NotificationCenter.default.notifications(named: .NSPersistentStoreRemoteChange) {
  ///   context.refreshAllObjects()
  /// }
  /// ```
  ///
  /// A reader that is slow misses none. Whoever stops reading, or whose task is cancelled, observes no
  /// longer.
  public func notifications(named name: Notification.Name, object: AnyObject? = nil)
    -> Notifications
  {
    Notifications(center: self, name: name, object: object)
  }

  /// The notifications of a name, as they are posted.
  public struct Notifications: AsyncSequence, @unchecked Sendable {
    /// What is posted.
    public typealias Element = Notification
    /// Reading never fails.
    public typealias Failure = Never

    fileprivate let center: NotificationCenter
    fileprivate let name: Notification.Name
    fileprivate let object: AnyObject?

    /// Observes from now on.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Gives one notification after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private var posted: AsyncStream<Posted>.AsyncIterator

      fileprivate init(_ notifications: Notifications) {
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

      /// The next notification; nil when the task was cancelled.
      public mutating func next() async -> Notification? { await posted.next()?.notification }
    }

    // A notification is given on to who reads, as its observers would have it on their threads.
    private struct Posted: @unchecked Sendable { let notification: Notification }
    private struct Token: @unchecked Sendable { let value: any NSObjectProtocol }
  }
}
