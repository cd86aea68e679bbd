/// A working set of objects that are fetched and changed in memory, and saved together.
///
/// A context and its objects belong to its queue. Use them inside `perform` or `performAndWait`; a
/// main queue context may also be used directly on the main thread. A context may be passed between
/// threads. Its objects may not: pass their IDs.
///
/// By default, a context holds its objects weakly, except those with unsaved changes; see `retainsRegisteredObjects`.
///
/// ```swift
/// let background = container.newBackgroundContext()
/// try await background.perform {
///   Person(context: background).lastName = "Babbage"
///   try background.save()
/// }
/// ```
nonisolated open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The kind of queue that the context uses.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  let queue: ContextQueue

  /// The coordinator whose stores the context reads and saves. A child context has that of its root.
  ///
  /// A context has either a coordinator or a parent: setting a child's coordinator makes it a root.
  ///
  /// ```swift
  /// let background = NSManagedObjectContext(.privateQueue)
  /// background.persistentStoreCoordinator = coordinator
  /// ```
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { source?.rootCoordinator }
    // Setting nil must not remove a child's parent.
    set { if newValue != nil || !isChild { source = newValue } }
  }

  /// The context that this one reads and saves to; nil if it has a coordinator.
  ///
  /// A child sees its parent's unsaved changes. Saving the child applies its changes to the parent,
  /// where they stay unsaved until the context at the root saves them to a store. The child's reads
  /// and saves run on the parent's queue while the child waits.
  ///
  /// ```swift
  /// let form = NSManagedObjectContext(.mainQueue)
  /// form.parent = context
  /// Person(context: form).lastName = "Babbage"
  /// try form.save()
  /// try context.save()
  /// ```
  open var parent: NSManagedObjectContext? {
    get { source as? NSManagedObjectContext }
    // Setting nil must not remove the coordinator.
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
      // The program may have set the property before the source.
      if automaticallyMergesChangesFromParent {
        (source as? NSPersistentStoreCoordinator)?.watchStores()
      }
    }
  }
  final var isChild: Bool { descent.isChild }
  /// Properties derived from `source`.
  private(set) final var descent = ContextDescent()
  /// The contexts whose parent this one is.
  let children = ContextList()

  /// A name for messages and debugging.
  open var name: String? {
    get { settings.name }
    set { settings.name = newValue }
  }
  /// The author that a store's history records for saves of this context.
  ///
  /// ```swift
  /// context.transactionAuthor = "app"
  /// person.age = 37
  /// try context.save()
  /// ```
  open var transactionAuthor: String? {
    get { settings.transactionAuthor }
    set { settings.transactionAuthor = newValue }
  }
  /// An `NSMergePolicy` that resolves conflicts with other saves of the same objects and between
  /// objects with equal unique values. With the default, `NSMergePolicy.error`, the save fails.
  ///
  /// ```swift
  /// context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
  /// ```
  open var mergePolicy: Any {
    get { settings.mergePolicy }
    set { settings.mergePolicy = newValue }
  }
  /// Values for use by the program.
  public let userInfo = NSMutableDictionary()
  /// Whether an object without a row is treated as deleted rather than as empty.
  open var shouldDeleteInaccessibleFaults: Bool {
    get { settings.shouldDeleteInaccessibleFaults }
    set { settings.shouldDeleteInaccessibleFaults = newValue }
  }
  /// Whether delete rules are carried out when changes are processed rather than by the save.
  ///
  /// ```swift
  /// context.propagatesDeletesAtEndOfEvent = false
  /// context.delete(customer)
  /// context.processPendingChanges()
  /// print(context.deletedObjects.count)  // 1: the save deletes the jobs
  /// ```
  open var propagatesDeletesAtEndOfEvent: Bool {
    get { settings.propagatesDeletesAtEndOfEvent }
    set { settings.propagatesDeletesAtEndOfEvent = newValue }
  }
  /// Whether the context merges other saves on its queue: those of other contexts of its
  /// coordinator or parent, and, for a context of a coordinator, those of other coordinators and
  /// processes that use the same SQLite files.
  ///
  /// Saves of other processes arrive some milliseconds later, or after a polling interval if the file
  /// system does not report writes. If the store has no history
  /// (`NSPersistentHistoryTrackingKey`), the context compares the versions of the objects in use
  /// with the store, and live results read the keys of their rows again. New objects that no live
  /// results show are then not reported. A context without a queue does not merge the saves of other
  /// coordinators and processes.
  ///
  /// The context also merges batch requests: immediately those that it executes, and on its queue
  /// those of other contexts of its coordinator. If the parent of a child context merges them, too, it
  /// does so first, because the child reads from it.
  ///
  /// A context of the deprecated confinement type has no queue, and merges only batch requests that it executes.
  ///
  /// Compared to Apple's Core Data: there, a program merges the saves of other processes itself,
  /// from the store's history.
  ///
  /// ```swift
  /// container.viewContext.automaticallyMergesChangesFromParent = true
  /// ```
  open var automaticallyMergesChangesFromParent: Bool {
    get { foreign.isAutomatic }
    set {
      foreign.setAutomatic(newValue)
      (source as? NSPersistentStoreCoordinator)?.watchStores()
    }
  }
  /// Whether the context also retains objects without changes.
  ///
  /// ```swift
  /// context.retainsRegisteredObjects = true
  /// _ = try context.fetch(Team.fetchRequest())
  /// print(context.registeredObjects.contains { $0 is Team })
  /// ```
  open var retainsRegisteredObjects: Bool {
    get { settings.retainsRegisteredObjects }
    set {
      settings.retainsRegisteredObjects = newValue
      registry.retain(newValue ? registeredObjects : [])
    }
  }
  /// The maximum age, in seconds, of values that another context has read; negative for any age.
  ///
  /// Compared to Apple's Core Data: the interval has no effect, because contexts share no row cache. A fault
  /// gets the values that its own context has fetched for it, or else reads the current values of the store.
  open var stalenessInterval: TimeInterval {
    get { settings.stalenessInterval }
    set { settings.stalenessInterval = newValue }
  }
  /// The undo manager that registers the context's changes; nil, the default, registers none.
  ///
  /// Each time changes are processed, they are registered as one action.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// person.age = 37
  /// context.undo()
  /// print(person.age)  // 36
  /// ```
  open var undoManager: UndoManager? {
    get { undoing.manager }
    set {
      let old = undoing.manager
      if newValue === old { return }
      // Earlier changes belong to the old manager: the new one begins without actions.
      processPendingChanges()
      undoing.use(newValue, newValue.map { _ in UndoRecorder(in: self) })
      old?.remove(self)
      newValue?.add(self)
    }
  }

  // The parts of the context that keep its state. Only a part's own methods change the state in it. The setters of
  // parts that are structures cannot be private, because extensions in other files call methods that change the
  // structure in place. No code replaces a part.
  private final var settings = ContextSettings()
  let registry = ObjectRegistry()
  /// The changes that a save would write.
  final var unsaved = UnsavedChanges()
  /// The changes since changes were last processed.
  final var pending = PendingChanges()
  final var session = SaveSession()
  final var announcing = Announcing()
  let foreign = ForeignMerge()
  final var reading = ContextReading()
  final var undoing = ContextUndo()

  /// Creates a context without a coordinator.
  ///
  /// ```swift
  /// let background = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  /// background.persistentStoreCoordinator = coordinator
  /// ```
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    queue = ContextQueue(concurrencyType)
    // Initializes a global variable that every access to a context or object reads without a lock.
    // Therefore, this must happen before the first context can be used.
    _ = ConcurrencyCheck.isDecided
    super.init()
    queue.context = self
  }

  /// Creates a context without a coordinator, and decodes nothing. A subclass that declares an initializer
  /// has to declare this one, too, as on Apple's platforms.
  public required init?(coder: NSCoder) {
    concurrencyType = .privateQueueConcurrencyType
    queue = ContextQueue(.privateQueueConcurrencyType)
    _ = ConcurrencyCheck.isDecided
    super.init()
    queue.context = self
  }

  /// Creates a context without a queue.
  @available(*, deprecated, message: "Use init(_:) with a concurrency type")
  public override convenience init() {
    self.init(concurrencyType: .confinementConcurrencyType)
  }

  /// Creates a context without a coordinator.
  public convenience init(_ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  deinit {
    // Objects that the program still holds must not refer to this context, nor to each other in cycles.
    for object in registry.objects { object.leaveContext() }
    registry.removeAll()
  }

  // MARK: Unsaved changes

  /// Whether there are unsaved changes.
  ///
  /// ```swift
  /// person.age = 37
  /// if context.hasChanges { try context.save() }
  /// ```
  open var hasChanges: Bool { !unsaved.isEmpty }
  /// The objects that the next save will insert.
  open var insertedObjects: Set<NSManagedObject> { unsaved.inserted.set }
  /// The objects that the next save will update.
  ///
  /// ```swift
  /// person.age = 37
  /// context.processPendingChanges()
  /// print(context.updatedObjects == [person])  // true
  /// ```
  open var updatedObjects: Set<NSManagedObject> { unsaved.updated.set }
  /// The objects that the next save will delete.
  open var deletedObjects: Set<NSManagedObject> { unsaved.deleted.set }
  /// The objects in use.
  ///
  /// ```swift
  /// let unsaved = context.registeredObjects.filter(\.hasChanges)
  /// print(unsaved.count)
  /// ```
  open var registeredObjects: Set<NSManagedObject> { Set(registry.objects) }

  // MARK: Working with objects
  // Declared in the class itself, so that subclasses can override them.

  /// Saves all changes, in one transaction for each store; a child context saves to its parent.
  ///
  /// The save processes pending changes, posts `NSManagedObjectContextWillSave`, calls `willSave` of the changed
  /// objects, validates them, writes the stores, calls `didSave`, clears the flags and posts
  /// `NSManagedObjectContextDidSave`, in this order.
  ///
  /// - Throws: An error if the context has no store to save to, if a save of it is already running, or if `willSave`
  ///   keeps changing objects; validation errors; `NSManagedObjectMergeError` if another save changed the same
  ///   objects, or `NSManagedObjectConstraintMergeError` if objects have equal unique values,
  ///   unless the merge policy resolves the conflict; errors of the policy and of the store. After
  ///   an error nothing is saved, and all changes stay unsaved. Only a save to several stores can fail
  ///   after some stores were written: the changes in these stores are then saved, and the error is
  ///   `NSPersistentStoreIncompleteSaveError`, unless a conflict in a later store caused it.
  ///
  /// ```swift
  /// do {
  ///   try context.save()
  /// } catch let error as CocoaError where error.code == .validationMissingMandatoryProperty {
  ///   print(error.localizedDescription)
  /// }
  /// ```
  open func save() throws {
    try saveChanges()
  }

  /// Inserts an object that has no context, or reverts the unsaved deletion of an object of this context.
  ///
  /// Does nothing for other objects of this context. An object whose deletion was saved becomes a new object with
  /// another ID. Fetches and live results do not show an unsaved object that was created with an entity of another
  /// copy of this context's model.
  ///
  /// Inserting an object of another context, or one whose entity this context's model does not have, is a programming
  /// error and stops the program.
  ///
  /// ```swift
  /// let draft = Person(entity: Person.entity(), insertInto: nil)
  /// draft.lastName = "Babbage"
  /// context.insert(draft)
  /// try context.save()
  /// ```
  open func insert(_ object: NSManagedObject) {
    insertUnregistered(object)
  }

  /// Marks an object for deletion by the next save. Its delete rules are carried out when changes are processed, or by
  /// the save if `propagatesDeletesAtEndOfEvent` is false. Does nothing for an object without a context.
  ///
  /// Deleting an object of another context is a programming error and stops the program.
  ///
  /// ```swift
  /// context.delete(customer)
  /// try context.save()  // deletes the customer's jobs as well: the rule is Cascade
  /// ```
  open func delete(_ object: NSManagedObject) {
    markDeleted(object)
  }

  /// Returns the object with an ID, as a fault if it is not in use. Reads nothing, so the row may not exist.
  ///
  /// ```swift
  /// let job = context.object(with: customer.objectIDs(forRelationshipNamed: "jobs")[0])
  /// print(job.isFault)
  /// ```
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    findRegisteredOrFault(objectID)
  }

  /// Returns the object with an ID if it is in use; otherwise nil.
  ///
  /// ```swift
  /// if let known = context.registeredObject(for: person.objectID) {
  ///   context.refresh(known, mergeChanges: true)
  /// }
  /// ```
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    findRegistered(objectID)
  }

  /// Returns the object with an ID, and reads its values if it is a fault.
  ///
  /// - Throws: `NSManagedObjectReferentialIntegrityError` if the row does not exist or its store is not open; the
  ///   errors of the store.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// let id = person.objectID
  /// let age = try await background.perform {
  ///   (try background.existingObject(with: id) as? Person)?.age
  /// }
  /// ```
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try filledObject(objectID)
  }

  /// Assigns unsaved objects the permanent IDs that they will be saved with, in this context, its
  /// ancestors and its descendants.
  ///
  /// - Throws: An error if this context has neither a coordinator nor a parent, if no writable store contains an
  ///   object's entity, or if an unsaved object belongs to a context with another root; the errors of the store.
  ///
  /// ```swift
  /// let draft = Person(context: context)
  /// draft.lastName = "Babbage"
  /// try context.obtainPermanentIDs(for: [draft])
  /// print(draft.objectID.isTemporaryID)  // false
  /// ```
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try makeIDsPermanent(of: objects)
  }

  /// Makes an object read its values from the store again. It becomes a fault, which reads them when they are needed.
  /// Only an object that keeps unsaved changes reads its row now.
  ///
  /// Refreshing an object of another context is a programming error and stops the program.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - flag: Whether to keep unsaved changes on top of the store's current values. Otherwise they
  ///     are lost, including those of transient properties; a new object gets its default values. If true, a new
  ///     object stays as it is.
  ///
  /// ```swift
  /// person.age = 37
  /// context.refresh(person, mergeChanges: true)
  /// print(person.age)  // 37
  /// context.refresh(person, mergeChanges: false)
  /// print(person.age)  // 36, as in the store
  /// ```
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshOne(object, mergeChanges: flag)
  }

  /// Turns all objects without unsaved changes into faults. Other objects keep their changes on top of
  /// the store's current rows, which are read with one query for each table.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["age": NSExpression(format: "age + 1")]
  /// try context.execute(request)
  /// context.refreshAllObjects()
  /// print(person.age)  // 37
  /// ```
  open func refreshAllObjects() {
    refreshAll()
  }

  /// Releases all objects, and discards all changes and all actions that could be undone. Objects that the program
  /// still holds become faults without a context.
  ///
  /// ```swift
  /// let form = NSManagedObjectContext(.mainQueue)
  /// form.parent = context
  /// Person(context: form).lastName = "Babbage"
  /// form.reset()
  /// print(form.hasChanges)  // false
  /// ```
  open func reset() {
    releaseAllObjects()
  }

  /// Discards all unsaved changes: releases inserted objects, and restores the values of updated and deleted objects.
  /// Also releases deleted objects whose rows no longer exist, and removes all actions that could be undone.
  ///
  /// ```swift
  /// person.age = 37
  /// context.delete(team)
  /// context.rollback()
  /// print(person.age, team.isDeleted)  // 36 false
  /// ```
  open func rollback() {
    rollBackAll()
  }

  /// Undoes the changes since the undo manager closed its last group; if there are none, undoes that
  /// group. Does nothing without an undo manager.
  open func undo() { undoManager?.undo() }

  /// Redoes the last undone change.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// person.age = 37
  /// context.undo()
  /// context.redo()
  /// print(person.age)  // 37
  /// ```
  open func redo() { undoManager?.redo() }

  /// Selects the store that a new object is saved to, if several stores contain its entity.
  ///
  /// Assigning a saved object to another store, an object of another context, or a store that this
  /// context's coordinator has not opened, is a programming error and stops the program.
  ///
  /// ```swift
  /// let draft = Person(context: context)
  /// draft.lastName = "Babbage"
  /// if let store = coordinator.persistentStore(for: url) {
  ///   context.assign(draft, to: store)
  /// }
  /// ```
  open func assign(_ object: Any, to store: NSPersistentStore) {
    assignStore(store, to: object)
  }

  /// Includes an unchanged object in the next save's conflict detection: another save of the object
  /// since it was read is then a conflict.
  ///
  /// Passing an object of another context is a programming error and stops the program.
  ///
  /// ```swift
  /// if customer.state == "TX" {
  ///   job.amount = job.amount?.multiplying(by: 1.0825)
  ///   context.detectConflicts(for: customer)
  /// }
  /// try context.save()
  /// ```
  open func detectConflicts(for object: NSManagedObject) {
    scheduleConflictCheck(of: object)
  }

  /// Decides what happens to an object without a row when its values are needed.
  ///
  /// If it returns true, the object counts as deleted; otherwise it counts as an object without values. Returns
  /// `shouldDeleteInaccessibleFaults` unless overridden.
  ///
  /// - Parameters:
  ///   - fault: The object.
  ///   - oid: The object's ID.
  ///   - property: The property that was read, or nil.
  ///
  /// ```swift
  /// final class AuditingContext: NSManagedObjectContext, @unchecked Sendable {
  ///   override func shouldHandleInaccessibleFault(
  ///     _ fault: NSManagedObject, for oid: NSManagedObjectID,
  ///     triggeredByProperty property: NSPropertyDescription?
  ///   ) -> Bool {
  ///     print("\(oid) is gone")
  ///     return true
  ///   }
  /// }
  /// ```
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    shouldDeleteInaccessibleFaults
  }

  /// Carries out delete rules if `propagatesDeletesAtEndOfEvent` is set, registers the changes with the undo manager,
  /// notifies live results of them, and posts `NSManagedObjectContextObjectsDidChange`. Does nothing if there are none.
  ///
  /// Called at the end of a `perform` block or of the queue's current work, and by fetches and saves.
  ///
  /// ```swift
  /// context.delete(customer)
  /// context.processPendingChanges()
  /// print(context.deletedObjects.count)  // 3: the customer and two jobs
  /// ```
  open func processPendingChanges() {
    processPending()
  }

  // MARK: Fetching and requests

  /// Returns the results of a request of any result type. For typed results, pass a request whose type
  /// parameter is the result type. In a subclass, that overload of `fetch(_:)` calls this method, because
  /// the subclass may override it.
  ///
  /// - Throws: The errors of that overload.
  open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
    try results(of: request)
  }

  /// Returns the number of results of a request of any result type. For a typed request, see the other `count(for:)`,
  /// which throws the same errors.
  open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
    try countResults(of: request)
  }

  /// Executes a request against the stores: a fetch, immediate or asynchronous; a batch request,
  /// which ignores the context's unsaved changes; or a history request.
  ///
  /// - Returns: An `NSAsynchronousFetchResult` for a fetch, completed if the request is an
  ///   `NSFetchRequest`; for a batch or history request, its result, such as an `NSBatchDeleteResult`.
  /// - Throws: The errors of `fetch(_:)`, and those of the batch or history request;
  ///   `NSPersistentStoreUnsupportedRequestTypeError` for unknown requests and for save requests, which only a context
  ///   makes.
  ///
  /// ```swift
  /// let request = NSBatchUpdateRequest(entityName: "Person")
  /// request.propertiesToUpdate = ["displayOrder": 0]
  /// request.resultType = .updatedObjectsCountResultType
  /// let result = try context.execute(request) as? NSBatchUpdateResult
  /// print(result?.result as? Int ?? 0)  // 5
  /// ```
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try run(request)
  }

  // MARK: The queue

  /// Runs a block on the context's queue after the blocks that were enqueued earlier. Returns immediately.
  ///
  /// Pending changes are processed when the block ends.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// func insertLater() {
  ///   background.perform {
  ///     Person(context: background).lastName = "Babbage"
  ///     do { try background.save() } catch { print(error.localizedDescription) }
  ///   }
  /// }
  /// ```
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) {
    performLater(block)
  }

  /// Runs a block on the context's queue after the blocks that were enqueued earlier, and waits for it. Calls may be
  /// nested, even with other contexts in between.
  ///
  /// Compared to Apple's Core Data: contexts that wait for each other do not deadlock. If a block of
  /// context A waits for B, and B's current block waits for A, the work for A runs as part of A's block.
  ///
  /// Changes are not processed when the block ends, but when the queue has finished its current
  /// work, and by fetches and saves.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// background.performAndWait {
  ///   Person(context: background).lastName = "Babbage"
  /// }
  /// ```
  open func performAndWait(_ block: () -> Void) {
    queue.sync(block)
  }

  // MARK: Merging other saves

  /// Merges another context's save from a `NSManagedObjectContextDidSave` notification or one with IDs.
  ///
  /// Updated objects in use get the store's current values and keep their unsaved changes. Inserted objects are
  /// registered. Deleted objects in use are deleted in this context, too.
  ///
  /// ```swift
  /// let background = container.newBackgroundContext()
  /// let observer = NotificationCenter.default.addObserver(
  ///   forName: NSManagedObjectContext.didSaveObjectIDsNotification, object: background, queue: nil
  /// ) { saved in
  ///   context.performAndWait { context.mergeChanges(fromContextDidSave: saved) }
  /// }
  /// ```
  open func mergeChanges(fromContextDidSave notification: Notification) {
    requireQueue()
    merge(ChangedObjectIDs(notification.userInfo ?? [:], in: nil))
  }

  /// Merges saved changes, for example of another process, into contexts, on the queue of each. Contexts precede their
  /// descendants, which read from them.
  ///
  /// - Parameters:
  ///   - changeNotificationData: Arrays or sets of IDs, URIs of IDs (`URL`) or objects under
  ///     `NSInsertedObjectsKey`, `NSInsertedObjectIDsKey` and similar keys: for example the user info of a
  ///     save notification, or the IDs that a batch request returned.
  ///   - contexts: The contexts to merge into.
  ///
  /// ```swift
  /// let request = NSBatchDeleteRequest(objectIDs: people.map(\.objectID))
  /// request.resultType = .resultTypeObjectIDs
  /// let result = try context.execute(request) as? NSBatchDeleteResult
  /// NSManagedObjectContext.mergeChanges(
  ///   fromRemoteContextSave: [NSDeletedObjectIDsKey: result?.result as? [NSManagedObjectID] ?? []],
  ///   into: [context])
  /// ```
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    for context in contexts.sorted(by: { $0.depth < $1.depth }) {
      let saved = ChangedObjectIDs(changeNotificationData, in: context.persistentStoreCoordinator)
      context.performAndWait { context.merge(ForeignChanges(reported: saved)) }
    }
  }

  /// The state of the stores that the context's reads are pinned to; nil if the context is not pinned, or is a child.
  /// `current` until the first read from a store that supports pinning.
  ///
  /// ```swift
  /// try context.setQueryGenerationFrom(.current)
  /// _ = try context.count(for: Person.fetchRequest())
  /// let export = container.newBackgroundContext()
  /// try export.setQueryGenerationFrom(context.queryGenerationToken)
  /// ```
  open var queryGenerationToken: NSQueryGenerationToken? {
    parent == nil ? reading.generation : nil
  }

  /// Pins the context's reads to a state of the stores, or with nil unpins them.
  ///
  /// A save, a merge of another save, and a reset move a pinned context to the latest state.
  /// Objects with values in memory keep them until `refreshAllObjects()` makes the context read
  /// them again.
  ///
  /// - Throws: An error for a child context, which reads from its parent.
  ///
  /// ```swift
  /// try context.setQueryGenerationFrom(.current)
  /// let count = try context.count(for: Person.fetchRequest())
  /// let people = try context.fetch(Person.fetchRequest())
  /// print(people.count == count)  // true, whatever other contexts save in between
  /// try context.setQueryGenerationFrom(nil)
  /// ```
  open func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try pin(to: generation)
  }
}
