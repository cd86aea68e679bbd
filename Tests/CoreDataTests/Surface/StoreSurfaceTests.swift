import CoreData
import Testing

/// Uses every public member with its Swift type, and overrides each one that a subclass can override.
///
/// Source: Apple's pages "NSPersistentStore", "NSAtomicStore", "NSAtomicStoreCacheNode",
/// "NSIncrementalStore", "NSIncrementalStoreNode", "NSManagedObjectID" and "NSQueryGenerationToken".
@Suite("Stores and IDs have all members that Apple documents")
struct StoreSurfaceTests {
  @Test("NSPersistentStore and NSManagedObjectID")
  func storeAndID() throws {
    let stack = try SampleStack()
    let store = stack.coordinator.persistentStores[0]
    has(NSPersistentStoreCoordinator?.self, store.persistentStoreCoordinator)
    has(String.self, store.configurationName)
    has([AnyHashable: Any]?.self, store.options)
    has(String.self, store.type)
    settable(\NSPersistentStore.url, URL?.self, in: store)
    settable(\NSPersistentStore.isReadOnly, Bool.self, in: store)
    settable(\NSPersistentStore.metadata, [String: Any]?.self, in: store)
    has(String?.self, store.identifier)
    stack.context.performAndWait {
      let id = stack.context.insert("Team").objectID
      has(NSEntityDescription.self, id.entity)
      has(NSPersistentStore?.self, id.persistentStore)
      has(Bool.self, id.isTemporaryID)
      has(URL.self, id.uriRepresentation())
      has(Any.self, id.copy())
      // Source: tests of FreeCoreData. The URI of a temporary ID has an empty host.
      #expect(id.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Team/t"))
      #expect(id.isTemporaryID && id.persistentStore == nil)
      // The last component is "t", a UUID that all temporary IDs share, and a number.
      let other = stack.context.insert("Team").objectID
      let names = [id, other].map { $0.uriRepresentation().lastPathComponent }
      #expect(
        names.allSatisfy {
          $0.wholeMatch(of: /t[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}[0-9]+/) != nil
        })
      #expect(names[0].prefix(37) == names[1].prefix(37) && names[0] != names[1])
    }
    has(NSQueryGenerationToken.self, NSQueryGenerationToken.current)
    has(Any.self, NSQueryGenerationToken.current.copy())
    #expect(NSQueryGenerationToken.supportsSecureCoding)
  }

  @Test("NSAtomicStore and NSAtomicStoreCacheNode")
  func atomicStore() throws {
    NSPersistentStoreCoordinator.registerStoreClass(
      EveryAtomicStore.self, forStoreType: EveryAtomicStore.storeType)
    defer {
      NSPersistentStoreCoordinator.registerStoreClass(
        nil, forStoreType: EveryAtomicStore.storeType)
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    let added = try coordinator.addPersistentStore(
      ofType: EveryAtomicStore.storeType, configurationName: nil,
      at: URL(fileURLWithPath: "/tmp/none"))
    let store = try #require(added as? EveryAtomicStore)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let team = context.insert("Team", ["name": "A"])
      try context.save()
      let node = try #require(store.cacheNode(for: team.objectID))
      has(NSManagedObjectID.self, node.objectID)
      settable(\NSAtomicStoreCacheNode.propertyCache, NSMutableDictionary?.self, in: node)
      #expect(node.value(forKey: "name") as? String == "A")
      node.setValue("B", forKey: "name")
      has(Set<NSAtomicStoreCacheNode>.self, store.cacheNodes())
      has(Any.self, store.referenceObject(for: team.objectID))
      #expect(
        store.objectID(for: team.entity, withReferenceObject: "R1") == team.objectID)
      context.delete(team)
      try context.save()
    }
    try coordinator.remove(store)
    #expect(
      store.calls == [
        "loadMetadata", "load", "didAdd", "newReferenceObject", "newCacheNode", "save",
        "willRemoveCacheNodes", "save", "willRemove",
      ])
  }

  @Test("NSIncrementalStore and NSIncrementalStoreNode")
  func incrementalStore() throws {
    let node = NSIncrementalStoreNode(
      objectID: try someID(), withValues: ["name": "A"], version: 1)
    has(NSManagedObjectID.self, node.objectID)
    has(UInt64.self, node.version)
    node.update(withValues: ["name": "B"], version: 2)
    let name = try #require(
      SampleStack.makeModel().entitiesByName["Team"]?.propertiesByName["name"])
    #expect(node.value(for: name) as? String == "B" && node.version == 2)
    // The inherited methods throw an error. The overrides below call them and only have to compile.
    let store = EveryIncrementalStore(
      persistentStoreCoordinator: nil, configurationName: nil, at: URL(fileURLWithPath: "/x"))
    #expect(throws: NSError.self) {
      try store.execute(NSFetchRequest<any NSFetchRequestResult>(entityName: "Team"), with: nil)
    }
    has(Any.self, EveryIncrementalStore.identifierForNewStore(at: URL(fileURLWithPath: "/x")))
  }

  private func someID() throws -> NSManagedObjectID {
    let stack = try SampleStack()
    return stack.context.performAndWait { stack.context.insert("Team").objectID }
  }
}

private final class EveryAtomicStore: NSAtomicStore, @unchecked Sendable {
  static let storeType = "TestEveryAtomicStore"
  private(set) var calls: [String] = []
  private var next = 0

  override var type: String { Self.storeType }
  override var url: URL? {
    get { super.url }
    set { super.url = newValue }
  }
  override var identifier: String! {
    get { super.identifier }
    set { super.identifier = newValue }
  }
  override var isReadOnly: Bool {
    get { super.isReadOnly }
    set { super.isReadOnly = newValue }
  }
  override var metadata: [String: Any]! {
    get { super.metadata }
    set { super.metadata = newValue }
  }
  override var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    super.persistentStoreCoordinator
  }
  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] { [:] }
  override class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreAt url: URL
  ) throws {}
  override func loadMetadata() throws {
    calls.append("loadMetadata")
    metadata = [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: Self.storeType]
  }
  override func didAdd(to coordinator: NSPersistentStoreCoordinator) { calls.append("didAdd") }
  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    calls.append("willRemove")
  }
  override func load() throws { calls.append("load") }
  override func save() throws { calls.append("save") }
  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    calls.append("newCacheNode")
    return super.newCacheNode(for: managedObject)
  }
  override func updateCacheNode(
    _ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject
  ) {
    super.updateCacheNode(node, from: managedObject)
  }
  override func cacheNodes() -> Set<NSAtomicStoreCacheNode> { super.cacheNodes() }
  override func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    super.addCacheNodes(cacheNodes)
  }
  override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    calls.append("willRemoveCacheNodes")
  }
  override func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    super.cacheNode(for: objectID)
  }
  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    calls.append("newReferenceObject")
    next += 1
    return "R\(next)"
  }
  override func objectID(
    for entity: NSEntityDescription, withReferenceObject data: Any
  ) -> NSManagedObjectID {
    super.objectID(for: entity, withReferenceObject: data)
  }
  override func referenceObject(for objectID: NSManagedObjectID) -> Any {
    super.referenceObject(for: objectID)
  }
}

private final class EveryIncrementalStore: NSIncrementalStore, @unchecked Sendable {
  override func loadMetadata() throws { try super.loadMetadata() }
  override func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
  ) throws -> Any {
    try super.execute(request, with: context)
  }
  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    try super.newValuesForObject(with: objectID, with: context)
  }
  override func newValue(
    forRelationship relationship: NSRelationshipDescription,
    forObjectWith objectID: NSManagedObjectID, with context: NSManagedObjectContext?
  ) throws -> Any {
    try super.newValue(forRelationship: relationship, forObjectWith: objectID, with: context)
  }
  override class func identifierForNewStore(at storeURL: URL) -> Any {
    super.identifierForNewStore(at: storeURL)
  }
  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    try super.obtainPermanentIDs(for: array)
  }
  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}
  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}
  override func newObjectID(
    for entity: NSEntityDescription, referenceObject data: Any
  ) -> NSManagedObjectID {
    super.newObjectID(for: entity, referenceObject: data)
  }
  override func referenceObject(for objectID: NSManagedObjectID) -> Any {
    super.referenceObject(for: objectID)
  }
}
