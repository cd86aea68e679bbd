extension SaveNote {
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
