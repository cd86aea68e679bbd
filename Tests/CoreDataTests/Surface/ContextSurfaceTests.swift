import CoreData
import Testing

/// Uses every public member on Apple's page "NSManagedObjectContext" with its Swift type, and
/// overrides each one that Apple's class lets a subclass override.
@Suite("NSManagedObjectContext has all members that Apple documents")
struct ContextSurfaceTests {
  @Test("Properties have Apple's types and defaults")
  func properties() throws {
    let stack = try SampleStack()
    let context = NSManagedObjectContext(.privateQueue)
    has(NSManagedObjectContext.self, NSManagedObjectContext(.mainQueue))
    has(NSManagedObjectContext.ConcurrencyType.self, context.concurrencyType)
    settable(
      \NSManagedObjectContext.persistentStoreCoordinator, NSPersistentStoreCoordinator?.self,
      in: context)
    settable(\NSManagedObjectContext.parent, NSManagedObjectContext?.self, in: context)
    settable(\NSManagedObjectContext.name, String?.self, in: context)
    settable(\NSManagedObjectContext.undoManager, CoreData.UndoManager?.self, in: context)
    settable(\NSManagedObjectContext.mergePolicy, Any.self, in: context)
    settable(\NSManagedObjectContext.stalenessInterval, TimeInterval.self, in: context)
    settable(\NSManagedObjectContext.transactionAuthor, String?.self, in: context)
    settable(\NSManagedObjectContext.propagatesDeletesAtEndOfEvent, Bool.self, in: context)
    settable(\NSManagedObjectContext.retainsRegisteredObjects, Bool.self, in: context)
    settable(\NSManagedObjectContext.shouldDeleteInaccessibleFaults, Bool.self, in: context)
    settable(\NSManagedObjectContext.automaticallyMergesChangesFromParent, Bool.self, in: context)
    has(NSMutableDictionary.self, context.userInfo)
    has(Bool.self, context.hasChanges)
    has(Set<NSManagedObject>.self, context.insertedObjects)
    has(Set<NSManagedObject>.self, context.updatedObjects)
    has(Set<NSManagedObject>.self, context.deletedObjects)
    has(Set<NSManagedObject>.self, context.registeredObjects)
    has(NSQueryGenerationToken?.self, context.queryGenerationToken)
    // Sources of the defaults: Apple's pages and NSManagedObjectContext.h.
    #expect(context.undoManager == nil && context.stalenessInterval < 0)
    #expect(context.shouldDeleteInaccessibleFaults && context.propagatesDeletesAtEndOfEvent)
    #expect(!context.automaticallyMergesChangesFromParent && !context.retainsRegisteredObjects)
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
    #expect(NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType.rawValue == 1)
    #expect(NSManagedObjectContextConcurrencyType.mainQueueConcurrencyType.rawValue == 2)
    _ = stack
  }

  @Test("Methods have Apple's types")
  func methods() async throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "A"])
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Team")
      let typed = NSFetchRequest<NSManagedObject>(entityName: "Team")
      try has(Void.self, context.obtainPermanentIDs(for: [team]))
      has(NSManagedObject.self, context.object(with: team.objectID))
      has(NSManagedObject?.self, context.registeredObject(for: team.objectID))
      try has(NSManagedObject.self, context.existingObject(with: team.objectID))
      let open = try context.fetch(request)
      has([Any].self, open)
      try has([NSManagedObject].self, context.fetch(typed))
      try has(Int.self, context.count(for: request))
      try has(Int.self, context.count(for: typed))
      try has(NSPersistentStoreResult.self, context.execute(request))
      try has(Void.self, context.save())
      has(Void.self, context.insert(team))
      has(Void.self, context.delete(team))
      has(Void.self, context.detectConflicts(for: team))
      has(Void.self, context.refresh(team, mergeChanges: true))
      has(Void.self, context.assign(team, to: stack.coordinator.persistentStores[0]))
      has(Void.self, context.processPendingChanges())
      has(Void.self, context.refreshAllObjects())
      has(Void.self, context.undo())
      has(Void.self, context.redo())
      has(Void.self, context.rollback())
      has(
        Bool.self,
        context.shouldHandleInaccessibleFault(team, for: team.objectID, triggeredByProperty: nil))
      has(Void.self, context.reset())
      has(
        Void.self,
        context.mergeChanges(
          fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave)))
      has(
        Void.self,
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [context]))
      try has(Void.self, context.setQueryGenerationFrom(.current))
    }
    func performLater() { context.perform {} }
    performLater()
    let five = context.performAndWait { 5 }
    #expect(five == 5)
    let six = await context.perform { 6 }
    let seven = await context.perform(schedule: .enqueued) { 7 }
    let names = try await context.perform { try context.fetch(Self.teams).count }
    #expect(six == 6 && seven == 7 && names == 1)
  }

  private static var teams: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Team") }

  @Test("Every method can be overridden, and forms that cannot be overridden call it")
  func overriding() async throws {
    let stack = try SampleStack()
    let context = RecordingContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    try context.performAndWait {
      let team = context.insert("Team", ["name": "A"])
      try context.save()
      #expect(try context.fetch(Self.teams) == [team])
      #expect(try context.count(for: Self.teams) == 1)
      let request = Self.teams
      _ = try context.fetch(request)
      #expect(request.entity == team.entity)
      context.delete(team)
      context.rollback()
    }
    await context.perform(schedule: .enqueued) {}
    #expect(
      context.calls == [
        "performAndWait", "insert", "save", "fetch", "count", "fetch", "delete", "rollback",
        "perform",
      ])
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [:], into: [context])
    #expect(context.calls.last == "performAndWait")
  }

  /// Sources: Apple's page "NSManagedObjectContextConcurrencyType", and NSManagedObjectContext.h.
  @Test("a context without a queue is used on the caller's thread")
  func confinement() throws {
    let stack = try SampleStack()
    let type = try #require(NSManagedObjectContextConcurrencyType(rawValue: 0))
    let context = NSManagedObjectContext(concurrencyType: type)
    context.persistentStoreCoordinator = stack.coordinator
    let team = context.insert("Team", ["name": "A"])
    try context.save()
    #expect(!team.hasChanges)
    nonisolated(unsafe) var runs = 0
    context.perform { runs += 1 }
    context.performAndWait { runs += 1 }
    #expect(runs == 2)
    #expect(try context.all("Team") == [team])
  }

  @Test("A context without a queue can be the parent of a context with or without a queue")
  func confinedParent() throws {
    let stack = try SampleStack()
    let parent = NSManagedObjectContext.confined(to: stack.coordinator)
    let children = [
      NSManagedObjectContext.confined(to: nil),
      NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType),
    ]
    for (number, child) in children.enumerated() {
      child.parent = parent
      try child.performAndWait {
        child.insert("Team", ["name": "\(number)"])
        try child.save()
        #expect(try child.all("Team").count == number + 1)
      }
      #expect(parent.insertedObjects.count == 1)
      try parent.save()
    }
    let other = stack.newContext()
    #expect(try other.performAndWait { try other.all("Team").count } == 2)
  }

  @Test("A subclass can have initializers of its own")
  func initializers() throws {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    let decoded = try #require(InitializedContext(coder: coder))
    #expect(decoded.label == "" && decoded.persistentStoreCoordinator == nil)
    let context = InitializedContext(label: "own")
    context.persistentStoreCoordinator = try SampleStack().coordinator
    #expect(try context.performAndWait { try context.all("Team").isEmpty })
  }

  /// Source: Apple's page "shouldHandleInaccessibleFault(_:for:triggeredByProperty:)".
  @Test("shouldHandleInaccessibleFault decides about each fault, and receives the property")
  func inaccessibleFaults() throws {
    let stack = try SampleStack()
    let context = RecordingContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    let other = stack.newContext()
    try context.performAndWait {
      let teams = ["A", "B"].map { context.insert("Team", ["name": $0]) }
      try context.save()
      for team in teams { context.refresh(team, mergeChanges: false) }
      try other.performAndWait {
        for team in try other.all("Team") { other.delete(team) }
        try other.save()
      }
      context.handlesFaults = false
      #expect(teams[0].value(forKey: "name") == nil && !teams[0].isDeleted)
      context.handlesFaults = true
      #expect(teams[1].value(forKey: "name") == nil && teams[1].isDeleted)
      #expect(context.triggers == ["name", "name"])
    }
  }
}

@available(*, deprecated, message: "It calls a deprecated initializer.")
private func contextWithoutQueue() -> NSManagedObjectContext {
  let context = NSManagedObjectContext()
  precondition(context.concurrencyType == .confinementConcurrencyType)
  return context
}

/// A context with the initializers that Xcode adds to a subclass. Apple's class conforms to `NSCoding`.
private final class InitializedContext: NSManagedObjectContext, @unchecked Sendable {
  let label: String

  init(label: String) {
    self.label = label
    super.init(concurrencyType: .privateQueueConcurrencyType)
  }

  required init?(coder: NSCoder) {
    label = ""
    super.init(coder: coder)
  }
}

/// A context that overrides every method Apple's class lets a subclass override.
private final class RecordingContext: NSManagedObjectContext, @unchecked Sendable {
  private(set) var calls: [String] = []
  private(set) var triggers: [String] = []
  var handlesFaults = true

  override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { super.persistentStoreCoordinator }
    set { super.persistentStoreCoordinator = newValue }
  }
  override var parent: NSManagedObjectContext? {
    get { super.parent }
    set { super.parent = newValue }
  }
  override var name: String? {
    get { super.name }
    set { super.name = newValue }
  }
  override var mergePolicy: Any {
    get { super.mergePolicy }
    set { super.mergePolicy = newValue }
  }
  override var hasChanges: Bool { super.hasChanges }
  override var insertedObjects: Set<NSManagedObject> { super.insertedObjects }
  override var updatedObjects: Set<NSManagedObject> { super.updatedObjects }
  override var deletedObjects: Set<NSManagedObject> { super.deletedObjects }
  override var registeredObjects: Set<NSManagedObject> { super.registeredObjects }
  override var queryGenerationToken: NSQueryGenerationToken? { super.queryGenerationToken }

  override func perform(_ block: @escaping @Sendable () -> Void) {
    calls.append("perform")
    super.perform(block)
  }
  override func performAndWait(_ block: () -> Void) {
    calls.append("performAndWait")
    super.performAndWait(block)
  }
  override func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] {
    calls.append("fetch")
    return try super.fetch(request)
  }
  override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
    calls.append("count")
    return try super.count(for: request)
  }
  override func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    calls.append("execute")
    return try super.execute(request)
  }
  override func save() throws {
    calls.append("save")
    try super.save()
  }
  override func insert(_ object: NSManagedObject) {
    calls.append("insert")
    super.insert(object)
  }
  override func delete(_ object: NSManagedObject) {
    calls.append("delete")
    super.delete(object)
  }
  override func rollback() {
    calls.append("rollback")
    super.rollback()
  }
  override func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID,
    triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    triggers.append(property?.name ?? "none")
    return handlesFaults
  }
  override func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    super.object(with: objectID)
  }
  override func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    super.registeredObject(for: objectID)
  }
  override func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try super.existingObject(with: objectID)
  }
  override func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try super.obtainPermanentIDs(for: objects)
  }
  override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    super.refresh(object, mergeChanges: flag)
  }
  override func detectConflicts(for object: NSManagedObject) { super.detectConflicts(for: object) }
  override func assign(_ object: Any, to store: NSPersistentStore) {
    super.assign(object, to: store)
  }
  override func processPendingChanges() { super.processPendingChanges() }
  override func refreshAllObjects() { super.refreshAllObjects() }
  override func reset() { super.reset() }
  override func undo() { super.undo() }
  override func redo() { super.redo() }
  override func mergeChanges(fromContextDidSave notification: Notification) {
    super.mergeChanges(fromContextDidSave: notification)
  }
  override class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    super.mergeChanges(fromRemoteContextSave: changeNotificationData, into: contexts)
  }
  override func setQueryGenerationFrom(_ generation: NSQueryGenerationToken?) throws {
    try super.setQueryGenerationFrom(generation)
  }
}
