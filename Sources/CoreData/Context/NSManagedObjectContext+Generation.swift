extension NSManagedObjectContext {
  func pin(to generation: NSQueryGenerationToken?) throws {
    if parent != nil {
      throw CoreDataError.badRequest(
        "a context with a parent reads from it and cannot be pinned to a query generation")
    }
    reading.generation = generation
  }

  /// Goes on to the latest state of the stores, when the context is pinned.
  func advanceGeneration() {
    if reading.generation != nil { reading.generation = .current }
  }

  /// The engine by which this context reads a store; the state is chosen with the first read.
  func engine(of store: NSPersistentStore) throws -> any StoreEngine {
    guard reading.generation != nil else { return store.engine.engine(for: self) }
    return try (chosenGeneration()?.engine(of: store) ?? store.engine).engine(for: self)
  }

  /// The state that reads are pinned to, chosen now if it was not; nil where no store has states.
  @discardableResult
  func chosenGeneration() throws -> NSQueryGenerationToken? {
    if let generation = reading.generation, generation.isCurrent {
      reading.generation = try persistentStoreCoordinator.flatMap {
        try NSQueryGenerationToken.latest(of: $0)
      }
    }
    return reading.generation
  }
}
