extension NSManagedObjectContext {
  /// What the context's reads are pinned to; nil when they see the stores as they are, as those
  /// of a child context do.
  public var queryGenerationToken: NSQueryGenerationToken? { parent == nil ? generation : nil }

  /// Pins the context's reads to a state of the stores, or with nil lets them go with the stores.
  ///
  /// A save, a merge of another's save and a reset move a pinned context to the then latest state.
  /// Objects whose values are in memory keep them; `refreshAllObjects()` has them read anew.
  ///
  /// - Throws: for a child context, which reads from its parent.
  public func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    if parent != nil {
      throw CoreDataError.badRequest(
        "a context with a parent reads from it and cannot be pinned to a query generation")
    }
    self.generation = generation
  }

  /// Goes on to the latest state of the stores, when the context is pinned.
  func advanceGeneration() {
    if generation != nil { generation = .current }
  }

  /// The engine by which this context reads a store; the state is chosen with the first read.
  func engine(of store: NSPersistentStore) throws -> any StoreEngine {
    guard generation != nil else { return store.engine.session(for: self) }
    return try (chosenGeneration()?.engine(of: store) ?? store.engine).session(for: self)
  }

  /// The state that reads are pinned to, chosen now if it was not; nil where no store has states.
  @discardableResult
  func chosenGeneration() throws -> NSQueryGenerationToken? {
    if let generation, generation.isCurrent {
      self.generation = try persistentStoreCoordinator.flatMap {
        try NSQueryGenerationToken.latest(of: $0)
      }
    }
    return generation
  }
}
