import CoreData

/// Records the notifications of an object in the order in which they are posted.
final class Recorder: @unchecked Sendable {
  private let lock = NSLock()
  private var recorded: [Notification] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ names: [NSNotification.Name], of object: AnyObject?) {
    for name in names {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
          [weak self] in self?.add($0)
        })
    }
  }

  convenience init(_ name: NSNotification.Name, of object: AnyObject?) {
    self.init([name], of: object)
  }

  deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

  private func add(_ notification: Notification) {
    lock.withLock { recorded.append(notification) }
  }

  var notifications: [Notification] { lock.withLock { recorded } }
}
