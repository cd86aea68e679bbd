import CoreData
import Testing

/// Uses every public member on Apple's page "NSManagedObjectID" with its Swift type, and overrides those that
/// subclasses override in the test suites of stream-chat-swift, metrobuddy and GithubUsers.
@Suite("NSManagedObjectID has all members that Apple documents")
struct ObjectIDSurfaceTests {
  @Test("Members have Apple's types")
  func members() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team")
      try context.save()
      has(NSEntityDescription.self, team.objectID.entity)
      has(Bool.self, team.objectID.isTemporaryID)
      has(NSPersistentStore?.self, team.objectID.persistentStore)
      has(URL.self, team.objectID.uriRepresentation())
    }
  }

  @Test("A subclass inherits the initializer, and can override members")
  func overriding() {
    #expect(LocatedID().uriRepresentation().path == "/located")
    #expect(LocatedID().isTemporaryID && LocatedID() != LocatedID())
    let (one, same, other) = (NamedID("a"), NamedID("a"), NamedID("b"))
    #expect(one == same && one != other && Set([one, same, other]).count == 2)
    #expect(!one.isTemporaryID && one.entity.name == "Named" && one.description == "a")
  }

  @Test("A made-up ID identifies no object wherever it is passed", .onEveryStore)
  func passing() throws {
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "A"])
      let player = context.insert("Player", ["name": "a", "team": team])
      try context.save()
      for id in [NSManagedObjectID(), LocatedID(), NamedID("a")] {
        #expect(context.registeredObject(for: id) == nil)
        #expect(throws: NSError.self) { try context.existingObject(with: id) }
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [
            NSInsertedObjectsKey: [id], NSUpdatedObjectsKey: [id], NSDeletedObjectsKey: [id],
          ], into: [context])
        #expect(throws: NSError.self) { try context.execute(NSBatchDeleteRequest(objectIDs: [id])) }

        let predicate = NSPredicate(format: "team == %@", id)
        #expect(!predicate.evaluate(with: player))
        #expect(throws: (any Error).self) { try predicate.archivedData() }
        #expect(try context.all("Player", "team == %@", [id]).isEmpty)
        #expect(try context.all("Player", "team IN %@", [[team.objectID, id]]) == [player])
        #expect(try context.all("Player", "SELF IN %@", [[id]]).isEmpty)

        // The row of the fault is missing, so the context deletes it, and a save only releases it.
        context.object(with: id).willAccessValue(forKey: nil)
        try context.save()
      }
      #expect(try context.all("Player") == [player])
    }
  }
}

private final class LocatedID: NSManagedObjectID, @unchecked Sendable {
  override func uriRepresentation() -> URL { URL(fileURLWithPath: "/located") }
}

/// Claims not to be temporary, and to equal others of the same name.
private final class NamedID: NSManagedObjectID, @unchecked Sendable {
  private let name: String
  private let claimedEntity = NSEntityDescription()

  init(_ name: String) {
    self.name = name
    claimedEntity.name = "Named"
    super.init()
  }

  override var entity: NSEntityDescription { claimedEntity }
  override var isTemporaryID: Bool { false }
  override func uriRepresentation() -> URL { URL(fileURLWithPath: "/\(name)") }
  override func isEqual(_ object: Any?) -> Bool { (object as? NamedID)?.name == name }
  override var hash: Int { name.hashValue }
  override var description: String { name }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
