import Foundation

/// Who saves, as a store keeps it beside what was saved.
struct SaveNote: Sendable {
  var author: String?
  var contextName: String?
}

extension SaveNote {
  /// The name of the program's process, not its number.
  static let processName = ProcessInfo.processInfo.processName
  static let bundleID = Bundle.main.bundleIdentifier

  /// A save of a context; called on its queue.
  init(_ context: NSManagedObjectContext) {
    self.init(author: context.transactionAuthor, contextName: context.name)
  }

  /// A batch request of a context; called on its queue. A child's goes through its parents to the stores, and is
  /// noted as the root's, as a save is.
  static func batch(of context: NSManagedObjectContext) -> SaveNote {
    guard let parent = context.parent else { return SaveNote(context) }
    return parent.queue.sync { batch(of: parent) }
  }
}
