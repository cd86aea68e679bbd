/// The engine of a custom store, which receives objects where other engines receive rows.
protocol ObjectStoreEngine: StoreEngine {
  /// Returns the engine for requests of a context. A custom store receives the context with each request.
  func session(for context: NSManagedObjectContext) -> any StoreEngine
  /// Returns the permanent keys of new objects, in order.
  func permanentKeys(for objects: [NSManagedObject]) throws -> [Int64]
  /// Saves objects that already have their permanent IDs.
  ///
  /// - Parameter build: Makes the change set. Only a store that also keeps rows calls it.
  func save(
    _ part: SavedObjects, from context: NSManagedObjectContext, _ build: () throws -> ChangeSet
  ) throws -> (changes: ChangeSet, outcome: SaveOutcome)
}

extension StoreEngine {
  /// Returns the engine for requests of a context: its session for the context, if the engine has sessions.
  func engine(for context: NSManagedObjectContext) -> any StoreEngine {
    guard usesSessions, let engine = self as? any ObjectStoreEngine else { return self }
    return engine.session(for: context)
  }
}

extension ObjectStoreEngine {
  var receivesObjects: Bool { true }

  func session(for context: NSManagedObjectContext) -> any StoreEngine { self }

  func allocateKeys(_: [KeyRequest]) throws -> [Range<Int64>] { throw objectsRequiredError }

  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome {
    throw objectsRequiredError
  }

  private var objectsRequiredError: NSError {
    CoreDataError.make(
      NSPersistentStoreOperationError, "a custom store receives objects instead of rows")
  }
}
