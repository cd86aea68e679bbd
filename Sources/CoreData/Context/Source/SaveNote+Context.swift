extension SaveNote {
  /// Makes the note of a context's save. Call it on the context's queue.
  init(_ context: NSManagedObjectContext) {
    self.init(author: context.transactionAuthor, contextName: context.name)
  }

  /// Makes the note of a context's batch request. Call it on the context's queue. A child's request goes
  /// through its parents to the stores, and is recorded with the root's name and author, like a save.
  static func batch(of context: NSManagedObjectContext) -> SaveNote {
    guard let parent = context.parent else { return SaveNote(context) }
    return parent.queue.sync { batch(of: parent) }
  }
}
