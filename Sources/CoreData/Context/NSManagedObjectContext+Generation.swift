extension NSManagedObjectContext {
  func pin(to generation: NSQueryGenerationToken?) throws {
    if parent != nil {
      throw CoreDataError.badRequest(
        "a child context reads from its parent and cannot be pinned to a query generation;"
          + " pin the context at the root")
    }
    reading.pin(to: generation)
  }

  /// Moves a pinned context to the latest state of the stores.
  func advanceGeneration() {
    // The next read chooses the state, so that a context that reads nothing pins no state.
    if reading.generation != nil { reading.pin(to: .current) }
  }

  /// Returns the engine that reads a store for this context. The first read chooses the pinned state.
  func engine(of store: NSPersistentStore) throws -> any StoreEngine {
    guard reading.generation != nil else { return store.engine.engine(for: self) }
    return try (chosenGeneration()?.engine(of: store) ?? store.engine).engine(for: self)
  }

  /// Returns the state that reads are pinned to, choosing it on first use; nil if the context is not pinned, or if no
  /// store supports pinning.
  @discardableResult
  func chosenGeneration() throws -> NSQueryGenerationToken? {
    guard let generation = reading.generation, generation.isCurrent else {
      return reading.generation
    }
    let stores = persistentStoreCoordinator?.persistentStores ?? []
    let numbers = stores.map { $0.engine.origin.number }
    // A store that is added later may support pinning, so the context stays pinned.
    if reading.lacksStates(of: numbers) { return nil }
    guard let chosen = try NSQueryGenerationToken.latest(of: stores) else {
      reading.noteMissingStates(of: numbers)
      return nil
    }
    reading.pin(to: chosen)
    return chosen
  }
}
