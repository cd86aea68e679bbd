/// What queue a context works on.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// No queue: one thread at a time uses the context, as the program sees to.
  ///
  /// Compared to Apple's Core Data: `perform` and `performAndWait` run their blocks at once, on the
  /// caller; there they raise an exception.
  @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
  case confinementConcurrencyType = 0
  /// A private queue: everything is done in `perform` and `performAndWait`.
  case privateQueueConcurrencyType = 1
  /// The main queue: also used directly on the main thread.
  case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContextConcurrencyType {
  /// A private queue.
  public static var privateQueue: Self { .privateQueueConcurrencyType }
  /// The main queue.
  public static var mainQueue: Self { .mainQueueConcurrencyType }
}

extension NSManagedObjectContext {
  /// What queue a context works on.
  public typealias ConcurrencyType = NSManagedObjectContextConcurrencyType
}

/// Objects being worked on: fetched, inserted, changed and deleted in memory, and saved together.
///
/// A context and its objects belong to its queue. Use them inside `perform` or `performAndWait`;
/// those of the main queue also directly on the main thread. The context itself may be passed
/// between threads, its objects may not: pass their IDs.
///
/// A context keeps its objects weakly, except those with unsaved changes.
nonisolated open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The queue that the context works on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: ContextQueue

  /// Where the objects come from and are saved to; for a child context, its ancestors'
  /// coordinator.
  ///
  /// Setting it on a child makes it a root: it has a coordinator or a parent, not both.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { source?.rootCoordinator }
    set { if newValue != nil || !isChild { source = newValue } }
  }

  /// The context that the objects come from and are saved to; nil when they come from a
  /// coordinator's stores.
  ///
  /// A child sees what its parent has not saved; a save of the child makes its changes in the
  /// parent, where they are unsaved changes as any others, and is no save to a store before the
  /// context at the root saves. What a child reads or saves runs on its parent's queue while the child waits.
  open var parent: NSManagedObjectContext? {
    get { source as? NSManagedObjectContext }
    set { if newValue != nil || isChild { source = newValue } }
  }

  /// The coordinator or the parent.
  final var source: (any ObjectSource)? {
    didSet {
      descent = ContextDescent(of: source)
      if let layouts { ManagedObjectClasses.use(layouts) }
      if source === oldValue { return }
      (oldValue as? NSPersistentStoreCoordinator)?.contexts.remove(self)
      (oldValue as? NSManagedObjectContext)?.children.remove(self)
      (source as? NSPersistentStoreCoordinator)?.contexts.add(self)
      (source as? NSManagedObjectContext)?.children.add(self)
      if automaticallyMergesChangesFromParent {
        (source as? NSPersistentStoreCoordinator)?.watchStores()
      }
    }
  }
  final var isChild: Bool { descent.isChild }
  /// What follows from the source.
  private final var descent = ContextDescent()
  /// The contexts that this one is the parent of.
  let children = ContextList()

  /// A name for messages and debugging.
  open var name: String? {
    get { settings.name }
    set { settings.name = newValue }
  }
  /// What is noted in a store's history as the author of saves.
  open var transactionAuthor: String? {
    get { settings.transactionAuthor }
    set { settings.transactionAuthor = newValue }
  }
  /// An `NSMergePolicy`: what happens when another save changed the same objects, and when objects
  /// have the same unique values. The default, `NSMergePolicy.error`, fails the save.
  open var mergePolicy: Any {
    get { settings.mergePolicy }
    set { settings.mergePolicy = newValue }
  }
  /// The program's own values.
  public let userInfo = NSMutableDictionary()
  /// Whether an object whose row is gone is treated as deleted rather than as empty.
  open var shouldDeleteInaccessibleFaults: Bool {
    get { settings.shouldDeleteInaccessibleFaults }
    set { settings.shouldDeleteInaccessibleFaults = newValue }
  }
  /// Whether delete rules are carried out when changes are processed rather than by the save.
  open var propagatesDeletesAtEndOfEvent: Bool {
    get { settings.propagatesDeletesAtEndOfEvent }
    set { settings.propagatesDeletesAtEndOfEvent = newValue }
  }
  /// Whether what others save is merged into this one, on its queue: other contexts of the coordinator,
  /// or of the parent; for a context of a coordinator also other coordinators and processes that have
  /// the same SQLite files.
  ///
  /// What another process saved arrives some milliseconds later. Where the store has no history
  /// (`NSPersistentHistoryTrackingKey`), the objects in use are compared with the store by version, and
  /// live results read the keys of their rows anew; new objects that nobody shows are not told of then.
  ///
  /// Compared to Apple's Core Data: there a program merges other processes' saves itself, from the
  /// store's history.
  open var automaticallyMergesChangesFromParent: Bool {
    get { foreign.isAutomatic }
    set {
      foreign.isAutomatic = newValue
      (source as? NSPersistentStoreCoordinator)?.watchStores()
    }
  }
  /// Whether objects without changes are kept too.
  open var retainsRegisteredObjects: Bool {
    get { settings.retainsRegisteredObjects }
    set {
      settings.retainsRegisteredObjects = newValue
      registry.retain(newValue ? registeredObjects : [])
    }
  }
  /// How old values may be that another context read before, in seconds; negative for any age.
  ///
  /// Compared to Apple's Core Data: there are no rows kept beside the objects, so a fault always
  /// takes the store's present values; the interval changes nothing.
  open var stalenessInterval: TimeInterval {
    get { settings.stalenessInterval }
    set { settings.stalenessInterval = newValue }
  }
  /// What takes changes back; nil, the default, keeps nothing of the past.
  ///
  /// Each time changes are processed, what they changed is registered as one action.
  open var undoManager: UndoManager? {
    get { undoing.manager }
    set {
      let old = undoing.manager
      undoing.manager = newValue
      if newValue === old { return }
      old?.remove(self)
      newValue?.add(self)
      processPendingChanges()
      undoing.record(with: undoing.manager.map { _ in UndoRecorder(in: self) })
    }
  }

  // The parts of the context, which keep its state.
  private final var settings = ContextSettings()
  let registry = ObjectRegistry()
  /// What a save would do.
  final var unsaved = UnsavedChanges()
  /// What happened since changes were processed last.
  final var pending = PendingChanges()
  final var session = SaveSession()
  final var announcing = Announcing()
  let foreign = ForeignMerge()
  final var reading = ContextReading()
  final var undoing = ContextUndo()

  /// Makes a context without a coordinator.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    queue = ContextQueue(concurrencyType)
    _ = ConcurrencyCheck.isDecided
    super.init()
    queue.context = self
  }

  /// Makes a context without a queue.
  @available(*, deprecated, message: "Use init(_:) with a concurrency type")
  public override convenience init() {
    self.init(concurrencyType: .confinementConcurrencyType)
  }

  /// Makes a context without a coordinator.
  public convenience init(_ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  deinit {
    // Objects that are still held elsewhere must not lead here, nor to each other in circles.
    for object in registry.objects { object.leaveContext() }
    registry.removeAll()
  }

  /// The layouts of the coordinator's model.
  final var layouts: ModelLayout? { descent.layouts ?? source?.sourceLayouts }

  // MARK: What is changed

  /// Whether a save would do something.
  open var hasChanges: Bool { !unsaved.isEmpty }
  /// The objects that the next save will insert.
  open var insertedObjects: Set<NSManagedObject> { unsaved.inserted.set }
  /// The objects that the next save will update.
  open var updatedObjects: Set<NSManagedObject> { unsaved.updated.set }
  /// The objects that the next save will delete.
  open var deletedObjects: Set<NSManagedObject> { unsaved.deleted.set }
  /// The objects that are in use.
  open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

  // MARK: Working with objects
  // In the class itself, so that subclasses may override them.

  /// Saves all changes, each store in one transaction; those of a child context to its parent.
  ///
  /// Order: pending changes are processed; `willSave` of the changed objects; validation; the
  /// stores; `didSave`; then the flags are cleared and `NSManagedObjectContextDidSave` is posted.
  ///
  /// - Throws: validation errors; `NSManagedObjectMergeError` when another save changed the same
  ///   objects, `NSManagedObjectConstraintMergeError` when objects have the same unique values, and
  ///   the merge policy does not say what to do; what the policy throws; the store's errors. Nothing
  ///   was saved then, and all changes are still there.
  open func save() throws {
    try saveChanges()
  }

  /// Inserts an object that stands alone; takes back the deletion of one that is to be deleted.
  ///
  /// An object of this context that is not deleted stays as it is. One whose deletion was saved
  /// becomes a new object, with another ID.
  open func insert(_ object: NSManagedObject) {
    insertUnregistered(object)
  }

  /// Marks an object for deletion by the next save. Its delete rules are carried out when changes
  /// are processed.
  open func delete(_ object: NSManagedObject) {
    markDeleted(object)
  }

  /// The object of an ID, as a fault when it is not in use yet. Nothing is read, so there may be
  /// no such row.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    findRegisteredOrFault(objectID)
  }

  /// The object of an ID, if it is in use.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    findRegistered(objectID)
  }

  /// The object of an ID, its values filled in.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` when there is no such row.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try filledObject(objectID)
  }

  /// Gives unsaved objects the IDs that they will have when they are saved, here and in the
  /// contexts above and below.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try identifyForGood(objects)
  }

  /// Turns an object into a fault, so that its values are read anew when they are needed.
  ///
  /// - Parameter flag: whether unsaved changes are kept, on top of the store's present values; else
  ///   they are lost, also those of transient properties. A new object then has its default values.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshOne(object, mergeChanges: flag)
  }

  /// Turns all objects without unsaved changes into faults, and puts the store's present rows
  /// under the changes of the others, with one query for all of them.
  open func refreshAllObjects() {
    refreshAll()
  }

  /// Lets go of everything, unsaved changes too. Objects that are still held become faults
  /// without a context.
  open func reset() {
    releaseAllObjects()
  }

  /// Takes back all unsaved changes: inserted objects are dropped, the others have their stored
  /// values again.
  open func rollback() {
    rollBackAll()
  }

  /// Takes back what was done since the undo manager's last group was closed, or the last group.
  /// Without an undo manager nothing happens.
  open func undo() { undoManager?.undo() }

  /// Does again what was taken back last.
  open func redo() { undoManager?.redo() }

  /// Says which store keeps a new object, where several could.
  ///
  /// Assigning a saved object to another store stops the program, as a mistake in it.
  open func assign(_ object: Any, to store: NSPersistentStore) {
    note(object, goesTo: store)
  }

  /// Has the next save compare an object with the store though nothing of it is saved: another
  /// save of it since it was read is then a conflict.
  open func detectConflicts(for object: NSManagedObject) {
    noteCheck(of: object)
  }

  /// Says what becomes of an object whose values are needed and whose row is gone.
  ///
  /// With true, which `shouldDeleteInaccessibleFaults` gives as it stands, the object counts as
  /// deleted; with false it is left as it is, without values.
  ///
  /// - Parameters:
  ///   - fault: the object.
  ///   - oid: its ID.
  ///   - property: the property that was read, if it was one.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  /// Carries out delete rules, tells live results what changed, and posts
  /// `NSManagedObjectContextObjectsDidChange`.
  ///
  /// Called by itself at the end of a `perform` block and of the queue's present work, and by
  /// fetches and saves.
  open func processPendingChanges() {
    processPending()
  }

  // MARK: Fetching and requests

  /// The results of a request whose type of result is open; see `fetch(_:)` for others, which goes
  /// through this one in a subclass that may override it.
  open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
    try results(of: request)
  }

  /// How many objects a request would give; see `count(for:)` for other types of result.
  open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
    try countResults(of: request)
  }

  /// Runs a request against the stores: a fetch, at once or in the background, or a batch request,
  /// which knows nothing of the context's unsaved changes.
  ///
  /// - Returns: an `NSAsynchronousFetchResult`; that of an `NSFetchRequest` is complete. Of a batch
  ///   request its own result, such as an `NSBatchDeleteResult`.
  /// - Throws: as `fetch(_:)`; for a save request, which a context makes itself, and for unknown
  ///   kinds `NSPersistentStoreUnsupportedRequestTypeError`.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try run(request)
  }

  // MARK: The queue

  /// Runs a block on the context's queue, after what was enqueued before; returns at once.
  ///
  /// Pending changes are processed when the block ends.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) {
    performLater(block)
  }

  /// Runs a block on the context's queue and waits for it, after what was enqueued before. May be nested, also with
  /// other contexts in between.
  ///
  /// Compared to Apple's Core Data: contexts that come to wait for each other go on. Where a block of A waits for B, and
  /// B's present block waits for A, the latter runs as a part of A's block; Apple's stops for ever.
  ///
  /// Changes are not processed when the block ends, but when the queue is done with its present
  /// work, and by what asks for them: a fetch, a save.
  open func performAndWait(_ block: () -> Void) {
    queue.sync(block)
  }

  // MARK: What others saved

  /// Merges what another context saved: its `NSManagedObjectContextDidSave` notification, or the
  /// one with IDs.
  ///
  /// Updated objects that are in use get the store's present values under their unsaved changes;
  /// inserted ones become known; deleted ones that are in use are deleted here too.
  open func mergeChanges(fromContextDidSave notification: Notification) {
    requireQueue()
    merge(ChangedObjectIDs(notification.userInfo ?? [:], in: nil))
  }

  /// Merges what was saved elsewhere into contexts, on the queue of each.
  ///
  /// - Parameter changeNotificationData: arrays or sets of IDs, URIs of IDs (`URL`) or objects,
  ///   under `NSInsertedObjectsKey`, `NSInsertedObjectIDsKey` and so on: what a notification of a
  ///   save has, or what a batch request gives as its result.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    for context in contexts {
      let saved = ChangedObjectIDs(changeNotificationData, in: context.persistentStoreCoordinator)
      context.performAndWait { context.merge(ForeignChanges(reported: saved)) }
    }
  }

  /// What the context's reads are pinned to; nil when they see the stores as they are, as those
  /// of a child context do.
  open var queryGenerationToken: NSQueryGenerationToken? {
    parent == nil ? reading.generation : nil
  }

  /// Pins the context's reads to a state of the stores, or with nil lets them go with the stores.
  ///
  /// A save, a merge of another's save and a reset move a pinned context to the then latest state.
  /// Objects whose values are in memory keep them; `refreshAllObjects()` has them read anew.
  ///
  /// - Throws: for a child context, which reads from its parent.
  open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try pin(to: generation)
  }

  // MARK: Within the module

  /// The one entity that a class serves in this context's model.
  func entity(of type: NSManagedObject.Type) -> NSEntityDescription {
    withLayouts { $0.layout(of: type)?.entity }.flatMap { $0 }
      ?? ManagedObjectClasses.entity(of: type)
  }

  /// The layout of an entity of this context's model, or of an equal one of another copy of it; nil
  /// also while the context has no model, for an entity that belongs to none.
  final func layout(of entity: NSEntityDescription) -> EntityLayout? {
    if let found = withLayouts({ $0.layout(of: entity) }) { return found }
    return EntityLayout.of(entity)
  }

  @inline(__always)
  private func withLayouts<Result>(_ body: (ModelLayout) -> Result) -> Result? {
    if let layouts = descent.unretainedLayouts { return layouts._withUnsafeGuaranteedRef(body) }
    return source?.sourceLayouts.map(body)
  }

  /// Runs `body` without counting what it sets as changes.
  func quietly(_ body: () -> Void) {
    registry.quietDepth += 1
    body()
    registry.quietDepth -= 1
  }

  /// Runs `body` without registering what it changes for undo; what was changed before is.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard undoing.recorder != nil, !undoing.isRegistering else { return try body() }
    processPendingChanges()
    undoing.setRegistering(true)
    defer {
      processPendingChanges()
      undoing.setRegistering(false)
    }
    return try body()
  }
}
