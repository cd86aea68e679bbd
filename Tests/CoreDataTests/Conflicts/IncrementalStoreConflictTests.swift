import CoreData
import Testing

/// Sources: Apple's "NSIncrementalStoreNode.version" (starts at 1, is incremented by each save; the
/// coordinator detects conflicts by it) and `NSPersistentStoreSaveConflictsError` ("an unresolved merge
/// conflict was encountered during a save").
@Suite("Conflicts in incremental stores")
struct IncrementalStoreConflictTests {
  /// Returns two contexts of one store, and its server.
  private func open() throws -> (
    here: NSManagedObjectContext, there: NSManagedObjectContext, server: DictionaryStore.Server
  ) {
    DictionaryStore.register()
    let url = URL(fileURLWithPath: "/conflicts-\(UUID().uuidString)")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    try coordinator.addPersistentStore(
      ofType: DictionaryStore.storeType, configurationName: nil, at: url)
    let contexts = (0..<2).map { _ in NSManagedObjectContext.confined(to: coordinator) }
    return (contexts[0], contexts[1], DictionaryStore.server(at: url))
  }

  private func changed(
    _ here: NSManagedObjectContext, _ there: NSManagedObjectContext
  ) throws -> NSManagedObject {
    let team = here.insert("Team", ["name": "Reds"])
    try here.save()
    let twin = try there.existingObject(with: team.objectID)
    twin["name"] = "there"
    twin["founded"] = Date(timeIntervalSinceReferenceDate: 5)
    try there.save()
    team["name"] = "here"
    return team
  }

  @Test("Saves of two contexts of one coordinator conflict, and policies resolve the conflict")
  func contexts() throws {
    let (here, there, server) = try open()
    let team = try changed(here, there)
    _ = server.drainCalls()
    let error = try #require(#expect(throws: NSError.self) { try here.save() })
    #expect(error.code == NSManagedObjectMergeError)
    let conflict = try #require(error.conflicts.first)
    #expect(conflict.sourceObject === team)
    #expect(conflict.objectSnapshot?["name"] as? String == "Reds")
    #expect(conflict.cachedSnapshot?["name"] as? String == "there")
    #expect(conflict.persistedSnapshot == nil)
    #expect(server.drainCalls()["save"] == nil)
    here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try here.save()
    #expect(team["name"] == "here" && team["founded"] == Date(timeIntervalSinceReferenceDate: 5))
    #expect(server.rows["Team"]?.values.first?["name"] as? String == "here")
    // Later saves of this context find no conflict.
    here.mergePolicy = NSMergePolicy.error
    for name in ["a", "b"] {
      team["name"] = name
      try here.save()
    }
    here.refreshAllObjects()
    team["name"] = "c"
    try here.save()
    #expect(server.rows["Team"]?.values.first?["name"] as? String == "c")
  }

  @Test("A changed object that another context deleted is removed, or inserted again")
  func deletions() throws {
    for policy in NSMergePolicy.resolving {
      let (here, there, server) = try open()
      let team = here.insert("Team", ["name": "Reds"])
      try here.save()
      there.delete(try there.existingObject(with: team.objectID))
      try there.save()
      #expect(server.rows["Team"]?.isEmpty == true)
      team["name"] = "here"
      let error = #expect(throws: NSError.self) { try here.save() }
      #expect(error?.conflicts.first?.newVersionNumber == 0)
      here.mergePolicy = policy
      try here.save()
      let storeWins =
        policy === NSMergePolicy.mergeByPropertyStoreTrump || policy === NSMergePolicy.rollback
      #expect(server.rows["Team"]?.count == (storeWins ? 0 : 1), "\(policy.mergeType)")
      #expect((team.managedObjectContext == nil) == storeWins, "\(policy.mergeType)")
      #expect(!here.hasChanges)
    }
  }

  /// A store that detects conflicts itself, as a store on a server does.
  final class LockingStore: NSIncrementalStore, @unchecked Sendable {
    static let storeType = "TestLockingStore"
    nonisolated(unsafe) static var row: (name: String, version: UInt64) = ("server", 1)
    nonisolated(unsafe) static var saves = 0

    override var type: String { Self.storeType }

    override func loadMetadata() throws {
      metadata = [NSStoreUUIDKey: "LOCKING", NSStoreTypeKey: Self.storeType]
    }

    override func execute(
      _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?
    ) throws -> Any {
      if let save = request as? NSSaveChangesRequest {
        Self.saves += 1
        for object in save.updatedObjects ?? [] {
          let known = object.committedValues(forKeys: ["name"])["name"] as? String
          if known != Self.row.name {
            throw NSError(
              domain: NSCocoaErrorDomain, code: NSPersistentStoreSaveConflictsError,
              userInfo: [
                NSPersistentStoreSaveConflictsErrorKey: [
                  NSMergeConflict(
                    source: object, newVersion: Int(Self.row.version), oldVersion: 1,
                    cachedSnapshot: ["name": known ?? ""],
                    persistedSnapshot: ["name": Self.row.name])
                ]
              ])
          }
          Self.row = (object.value(forKey: "name") as? String ?? "", Self.row.version + 1)
        }
        return [Any]()
      }
      guard let fetch = request as? NSFetchRequest<any NSFetchRequestResult>, let context,
        let entity = fetch.entity
      else { throw CocoaError(.featureUnsupported) }
      return [context.object(with: newObjectID(for: entity, referenceObject: "one"))]
    }

    override func newValuesForObject(
      with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
      NSIncrementalStoreNode(
        objectID: objectID, withValues: ["name": Self.row.name], version: Self.row.version)
    }
  }

  @Test(
    "The policy resolves conflicts that a store throws, and the save is retried")
  func thrownByTheStore() throws {
    NSPersistentStoreCoordinator.registerStoreClass(
      LockingStore.self, type: .init(rawValue: LockingStore.storeType))
    for (policy, expected) in [
      (NSMergePolicy.error, "elsewhere"), (.mergeByPropertyObjectTrump, "here"),
      (.mergeByPropertyStoreTrump, "elsewhere"),
    ] {
      LockingStore.row = ("server", 1)
      LockingStore.saves = 0
      let model = NSManagedObjectModel()
      let entity = NSEntityDescription()
      entity.name = "Team"
      entity.properties = [SampleStack.attribute("name", .stringAttributeType)]
      model.entities = [entity]
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: LockingStore.storeType, configurationName: nil, at: URL(fileURLWithPath: "/locking")
      )
      let context = NSManagedObjectContext.confined(to: coordinator)
      context.mergePolicy = policy
      let team = try #require(try context.all("Team").first)
      #expect(team["name"] == "server")
      LockingStore.row = ("elsewhere", 2)
      team["name"] = "here"
      if policy === NSMergePolicy.error {
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        #expect(error?.conflicts.first?.persistedSnapshot?["name"] as? String == "elsewhere")
        #expect(LockingStore.saves == 1 && team.isUpdated)
      } else {
        try context.save()
        #expect(team["name"] == expected && LockingStore.saves == 2, "\(policy.mergeType)")
      }
      #expect(LockingStore.row.name == expected, "\(policy.mergeType)")
    }
  }
}
