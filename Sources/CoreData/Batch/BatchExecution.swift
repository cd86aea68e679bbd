/// Executes batch requests in their stores, and merges the changes into the contexts that merge automatically.
struct BatchExecution {
  let context: NSManagedObjectContext
  private let coordinator: NSPersistentStoreCoordinator
  private let cancellation = Cancellation.ofRequest

  init(in context: NSManagedObjectContext) throws {
    guard let coordinator = context.persistentStoreCoordinator else { throw context.noCoordinator }
    context.adoptPermanentIDs()
    self.context = context
    self.coordinator = coordinator
  }

  /// Returns the open stores that a request may use and that contain an entity.
  private func stores(
    for request: NSPersistentStoreRequest, _ layout: EntityLayout
  ) throws -> [NSPersistentStore] {
    let open = coordinator.persistentStores
    // A store of another coordinator, or one that was removed, is not used.
    let requested =
      request.affectedStores.map { $0.filter { store in open.contains { $0 === store } } } ?? open
    let stores = requested.filter { $0.engine.contains(layout) }
    if stores.isEmpty {
      throw CoreDataError.make(
        NSPersistentStoreOperationError,
        "none of the batch request's stores contains entity \(layout.name)")
    }
    return stores
  }

  /// Returns the engine of a store that can execute the request.
  private func engine(
    of store: NSPersistentStore, _ request: NSPersistentStoreRequest
  ) throws -> any BatchEngine {
    guard let engine = store.engine as? any BatchEngine else {
      throw CoreDataError.make(
        NSPersistentStoreUnsupportedRequestTypeError,
        "a store of type \(store.type) cannot execute a \(Swift.type(of: request)): specify"
          + " \(NSSQLiteStoreType) stores as its affectedStores")
    }
    try store.requireWritable()
    return engine
  }

  /// Inserts into the first writable store.
  func insert(_ request: NSBatchInsertRequest) throws -> BatchOutcome {
    var insertion = try BatchInsertion(request, context.batchPolicy, in: coordinator.layouts)
    insertion.cancellation = cancellation
    let stores = try stores(for: request, insertion.layout)
    // If all stores are read-only, `engine(of:_:)` throws the error that says so.
    let store = stores.first { !$0.isReadOnly } ?? stores[0]
    let outcome = try engine(of: store, request).insert(insertion, note: .batch(of: context))
    mergeIntoContexts(outcome)
    return outcome
  }

  func update(_ request: NSBatchUpdateRequest) throws -> BatchOutcome {
    var update = try BatchUpdate(request, in: coordinator)
    update.rows.cancellation = cancellation
    return try inEveryStore(of: request, update.rows.layout) {
      try $0.update(update, note: .batch(of: context))
    }
  }

  func delete(_ request: NSBatchDeleteRequest) throws -> BatchOutcome {
    // An empty list of IDs has no entity, so `BatchDeletion` cannot resolve its fetch request.
    if request.isEmpty, request.objectIDsError == nil { return BatchOutcome() }
    var deletion = try BatchDeletion(request, in: coordinator)
    let stores = try stores(for: request, deletion.rows.layout)
    if stores.count > 1, deletion.rows.limit > 0 || deletion.rows.offset > 0 {
      return try deleteSelected(by: request, in: stores)
    }
    deletion.rows.cancellation = cancellation
    return try inEveryStore(of: request, deletion.rows.layout) {
      try $0.delete(deletion, note: .batch(of: context))
    }
  }

  /// Deletes the rows within a limit and offset, which apply to the rows of all stores together.
  private func deleteSelected(
    by request: NSBatchDeleteRequest, in stores: [NSPersistentStore]
  ) throws -> BatchOutcome {
    // As in `inEveryStore`, all stores are checked before the first row is deleted.
    for store in stores { _ = try engine(of: store, request) }
    let fetch = request.fetchRequest.converted(to: .managedObjectIDResultType)
    fetch.affectedStores = stores
    // A context without unsaved changes selects the stored rows, as the deletion in a single store
    // does.
    let selectionContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    selectionContext.persistentStoreCoordinator = coordinator
    let results: [any NSFetchRequestResult] = try selectionContext.performAndWait {
      guard let cancellation else { return try selectionContext.results(of: fetch) }
      // The fetch is part of the deletion, so cancelling the deletion must also cancel the fetch.
      return try selectionContext.queue.run(for: cancellation, endsReads: true) {
        Result { try selectionContext.results(of: fetch) }
      }.get()
    }
    let ids = results.compactMap { $0 as? NSManagedObjectID }
    var outcome = BatchOutcome()
    for store in stores {
      let part = NSBatchDeleteRequest(
        objectIDs: ids.filter { $0.origin === store.engine.origin })
      part.affectedStores = [store]
      // The closure is called once for each store with selected rows, because each store has its own transaction.
      part.beforeCommit = request.beforeCommit
      outcome.add(try delete(part))
    }
    return outcome
  }

  /// Executes a request in each store. If one fails, the changes of the preceding stores remain.
  private func inEveryStore(
    of request: NSPersistentStoreRequest, _ layout: EntityLayout,
    _ body: (any BatchEngine) throws -> BatchOutcome
  ) throws -> BatchOutcome {
    // All stores are checked before the first one is written.
    let engines = try stores(for: request, layout).map { try engine(of: $0, request) }
    var outcome = BatchOutcome()
    // The merge is deferred, because the preceding stores have committed their changes even if a
    // later store throws.
    defer { mergeIntoContexts(outcome) }
    for engine in engines { outcome.add(try body(engine)) }
    return outcome
  }

  /// Merges the changes into all contexts of the coordinator that merge automatically. If the executing context is one
  /// of them, it and its ancestors merge immediately; all other contexts merge on their queues. Parents precede their
  /// children, which read from them.
  private func mergeIntoContexts(_ outcome: BatchOutcome) {
    if outcome.isEmpty || !coordinator.contexts.mergeAutomatically { return }
    let changes = changes(by: outcome)
    let isAutomatic = context.automaticallyMergesChangesFromParent
    if isAutomatic { context.mergeWithAncestors(changes) }
    coordinator.contexts.merge(changes, exceptInto: isAutomatic ? context.lineage : [])
  }

  private func changes(by outcome: BatchOutcome) -> ForeignChanges {
    // Beyond this limit, contexts create no objects for the changed rows, and live results read the keys of all their
    // rows again.
    if outcome.count <= ForeignChanges.namedLimit {
      return ForeignChanges(ids: ChangedObjectIDs(outcome))
    }
    var changes = ForeignChanges(unnamed: outcome.origins)
    // Rows whose derived attributes were recomputed keep their versions, so contexts cannot find them by comparing
    // versions.
    changes.ids.updated = outcome.computed.ids
    return changes
  }
}

extension ContextList {
  /// Whether one of the contexts or of their descendants merges automatically.
  fileprivate var mergeAutomatically: Bool {
    current.contains {
      $0.automaticallyMergesChangesFromParent || $0.children.mergeAutomatically
    }
  }

  /// Merges changes into the contexts and their descendants that merge automatically, each on its own queue after its
  /// ancestors.
  ///
  /// - Parameter lineage: The contexts that have merged the changes already: none, or one and its ancestors.
  fileprivate func merge(
    _ changes: ForeignChanges, exceptInto lineage: [NSManagedObjectContext] = []
  ) {
    for context in current {
      let hasMerged = lineage.contains { $0 === context }
      if hasMerged || !context.mergesOnItsQueue {
        context.children.merge(changes, exceptInto: lineage)
        continue
      }
      // Weak, so that an enqueued merge does not keep a released context alive.
      context.perform { [weak context] in
        guard let context else { return }
        context.merge(changes)
        context.children.merge(changes)
      }
    }
  }
}

extension NSManagedObjectContext {
  /// This context and its ancestors.
  fileprivate var lineage: [NSManagedObjectContext] { [self] + (parent?.lineage ?? []) }

  /// Merges changes into those of this context and its ancestors that merge automatically, from the root to this one.
  fileprivate func mergeWithAncestors(_ changes: ForeignChanges) {
    if let parent { parent.serve(self) { parent.mergeWithAncestors(changes) } }
    if automaticallyMergesChangesFromParent { merge(changes) }
  }

  /// The merge policy that resolves constraint conflicts of batch insertions.
  var batchPolicy: NSMergePolicy { mergePolicy as? NSMergePolicy ?? NSMergePolicy.error }
}

extension NSBatchInsertRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    NSBatchInsertResult(try BatchExecution(in: context).insert(self), resultType)
  }
}

extension NSBatchUpdateRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    NSBatchUpdateResult(try BatchExecution(in: context).update(self), resultType)
  }
}

extension NSBatchDeleteRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    NSBatchDeleteResult(try BatchExecution(in: context).delete(self), resultType)
  }
}
