import CoreData

/// Records the notifications of some contexts in the order in which they are posted, one line each.
final class NotificationLog: @unchecked Sendable {
  private let lock = NSLock()
  private var recorded: [String] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ contexts: [NSManagedObjectContext], names: [String]) {
    let events: [(NSNotification.Name, String)] = [
      (.NSManagedObjectContextObjectsDidChange, "changed"),
      (.NSManagedObjectContextWillSave, "will save"), (.NSManagedObjectContextDidSave, "saved"),
    ]
    for (context, name) in zip(contexts, names) {
      for (event, text) in events {
        tokens.append(
          NotificationCenter.default.addObserver(forName: event, object: context, queue: nil) {
            [weak self] in self?.add("\(name) \(text)", $0)
          })
      }
    }
  }

  deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

  private func add(_ text: String, _ notification: Notification) {
    var line = text
    for key in [
      NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
    ] {
      if let objects = notification.userInfo?[key] as? Set<NSManagedObject>, !objects.isEmpty {
        line += " \(key) \(objects.count)"
      }
    }
    if let ids = notification.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] {
      line += " invalidatedAll \(ids.count)"
    }
    lock.withLock { recorded.append(line) }
  }

  /// The lines of the notifications posted since this property was last read.
  var lines: [String] {
    lock.withLock {
      defer { recorded = [] }
      return recorded
    }
  }
}
