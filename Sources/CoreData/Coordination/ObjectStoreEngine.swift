/// An engine of a program's own store, which is given objects where others are given rows.
protocol ObjectStoreEngine: StoreEngine {
  /// The engine as a context uses it. A program's store gets the context with each request, so it needs to know which
  /// one asks.
  func session(for context: NSManagedObjectContext) -> any StoreEngine
  /// The keys that new objects get for good, in their order.
  func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64]
  /// Saves objects, which have their permanent IDs.
  ///
  /// - Parameter build: makes the change set, for a store that keeps rows too.
  func save(
    _ part: SavedObjects, from context: NSManagedObjectContext, _ build: () throws -> ChangeSet
  ) throws -> (changes: ChangeSet, outcome: SaveOutcome)
}

extension StoreEngine {
  /// The engine as a context uses it: its session for the context, where the engine has sessions.
  func engine(for context: NSManagedObjectContext) -> any StoreEngine {
    guard usesSessions, let engine = self as? any ObjectStoreEngine else { return self }
    return engine.session(for: context)
  }
}

extension ObjectStoreEngine {
  func session(for context: NSManagedObjectContext) -> any StoreEngine { self }

  func allocateKeys(_: [KeyRequest]) throws -> [Range<Int64>] { throw objectsRequiredError }

  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome {
    throw objectsRequiredError
  }

  private var objectsRequiredError: NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "a store of the program's own takes objects, not rows")
  }
}
