import CoreData
import Testing

/// Uses every public member on Apple's page "NSManagedObject" with its Swift type, and overrides
/// each one whose override the page does not forbid.
@Suite("NSManagedObject has all members that Apple documents")
struct ManagedObjectSurfaceTests {
  @Test("Members have Apple's types")
  func members() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "A"])
      let player = context.insert("Player", ["name": "a", "team": team])
      try context.save()
      has(NSManagedObjectContext?.self, team.managedObjectContext)
      has(NSEntityDescription.self, team.entity)
      has(NSManagedObjectID.self, team.objectID)
      has(Bool.self, team.hasChanges)
      has(Bool.self, team.hasPersistentChangedValues)
      has(Bool.self, team.isInserted)
      has(Bool.self, team.isUpdated)
      has(Bool.self, team.isDeleted)
      has(Bool.self, team.isFault)
      has(Int.self, team.faultingState)
      has(Bool.self, NSManagedObject.contextShouldIgnoreUnmodeledPropertyChanges)
      has(Bool.self, team.hasFault(forRelationshipNamed: "players"))
      has([NSManagedObjectID].self, team.objectIDs(forRelationshipNamed: "players"))
      has([String: Any].self, team.changedValues())
      has([String: Any].self, team.changedValuesForCurrentEvent())
      has([String: Any].self, team.committedValues(forKeys: nil))
      has(Any?.self, team.value(forKey: "name"))
      has(Any?.self, team.value(forKeyPath: "players.@count"))
      has(Void.self, player.setValue("b", forKey: "name"))
      has(Void.self, player.setValue("B", forKeyPath: "team.name"))
      has([String: Any].self, team.dictionaryWithValues(forKeys: ["name"]))
      has(Void.self, team.setValuesForKeys(["name": "C"]))
      has(NSMutableSet.self, team.mutableSetValue(forKey: "players"))
      has(NSMutableOrderedSet.self, team.mutableOrderedSetValue(forKey: "trophies"))
      has(Any?.self, team.primitiveValue(forKey: "name"))
      has(Void.self, team.setPrimitiveValue("D", forKey: "name"))
      has(Void.self, team.willAccessValue(forKey: "name"))
      has(Void.self, team.didAccessValue(forKey: "name"))
      has(Void.self, team.willChangeValue(forKey: "name"))
      has(Void.self, team.didChangeValue(forKey: "name"))
      let none: Set<AnyHashable> = []
      team.willChangeValue(forKey: "players", withSetMutation: .union, using: none)
      team.didChangeValue(forKey: "players", withSetMutation: .union, using: none)
      team.willChange(.insertion, valuesAt: [], forKey: "trophies")
      team.didChange(.insertion, valuesAt: [], forKey: "trophies")
      try has(Void.self, team.validateForInsert())
      try has(Void.self, team.validateForUpdate())
      try has(Void.self, team.validateForDelete())
      var value: AnyObject? = "E" as NSString
      try team.validateValue(&value, forKey: "name")
      try player.validateValue(&value, forKeyPath: "team.name")
      has(Void.self, player.setNilValueForKey("age"))
      has(NSManagedObject.self, NSManagedObject(entity: team.entity, insertInto: nil))
    }
    let events: [NSSnapshotEventType] = [
      .undoInsertion, .undoDeletion, .undoUpdate, .rollback, .refresh, .mergePolicy,
    ]
    #expect(events.map(\.rawValue) == [2, 4, 8, 16, 32, 64])
  }

  /// Source: tests of CoreDataPlus. The entity's name is nil, and requests use the class's own
  /// name.
  @Test("A class without an entity returns a nameless entity, and requests with the class's name")
  func classWithoutEntity() {
    #expect(Unmodeled.entity().name == nil)
    #expect(NSManagedObject.entity().name == nil)
    #expect(Unmodeled.fetchRequest().entityName == "Unmodeled")
  }

  /// Source: Apple's page "init(context:)".
  @Test("Generic code can make objects of any managed object class")
  func genericMaking() throws {
    func make<Object: NSManagedObject>(_ type: Object.Type, in context: NSManagedObjectContext)
      -> Object
    {
      Object(context: context)
    }
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(EveryOverride.self)
    let stack = try SampleStack(model: model)
    stack.context.performAndWait {
      let team = make(EveryOverride.self, in: stack.context)
      #expect(team.entity.name == "Team" && team.isInserted)
    }
  }

  @Test("A subclass can override every method that Apple's page allows")
  func overriding() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(EveryOverride.self)
    let stack = try SampleStack(model: model)
    let context = stack.context
    try context.performAndWait {
      let team = EveryOverride(context: context)
      has(NSEntityDescription.self, EveryOverride.entity())
      has(NSFetchRequest<any NSFetchRequestResult>.self, EveryOverride.fetchRequest())
      team.setValue("A", forKey: "name")
      try context.save()
      context.refresh(team, mergeChanges: false)
      #expect(team.value(forKey: "name") as? String == "A")
      context.delete(team)
      try context.save()
      #expect(
        team.calls == [
          "awakeFromInsert", "willSave", "validateForInsert", "didSave", "willTurnIntoFault",
          "didTurnIntoFault", "awakeFromFetch", "prepareForDeletion", "willSave",
          "validateForDelete", "didSave",
        ])
    }
  }

  /// Source: test doubles in public test suites. Apple's page forbids overriding most of these members, but the
  /// compiler accepts it.
  @Test(
    "A test double can override its identity and state, without an effect on the library",
    .only(TestedStore.allCases, "The custom stores read the overridden members."))
  func doubles() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.managedObjectClassName = NSStringFromClass(TestDouble.self)
    try SampleStack.withContext(model: model) { context in
      let team = TestDouble(context: context)
      #expect(team.objectID === team.claimedID && team.entity === team.claimedEntity)
      #expect(team.value(forKey: "objectID") as? NSManagedObjectID === team.claimedID)
      #expect(team.managedObjectContext == nil && team.isFault && team.isDeleted)
      #expect(team.isUpdated && !team.isInserted && !team.hasChanges)

      team.setValue("A", forKey: "name")
      let player = context.insert("Player", ["name": "a", "team": team])
      try context.save()
      #expect(try context.all("Player", "team == %@", [team]) == [player])
      #expect(NSPredicate(format: "team == %@", team).evaluate(with: player))
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Team")
      request.resultType = .managedObjectIDResultType
      let ids = try context.fetch(request)
      #expect(ids.map(context.object(with:)) == [team] && ids != [team.claimedID])
      context.delete(team)
      try context.save()
      #expect(player.value(forKey: "team") == nil)
      #expect(try context.all("Team").isEmpty)
    }
  }
}

/// Claims another identity, and the opposite of its state.
final class TestDouble: NSManagedObject {
  let claimedID = NSManagedObjectID()
  let claimedEntity = NSEntityDescription()

  override var objectID: NSManagedObjectID { claimedID }
  override var entity: NSEntityDescription { claimedEntity }
  override var managedObjectContext: NSManagedObjectContext? { nil }
  override var hasChanges: Bool { !super.hasChanges }
  override var hasPersistentChangedValues: Bool { !super.hasPersistentChangedValues }
  override var isInserted: Bool { !super.isInserted }
  override var isUpdated: Bool { !super.isUpdated }
  override var isDeleted: Bool { !super.isDeleted }
  override var isFault: Bool { !super.isFault }
}

final class EveryOverride: NSManagedObject {
  private(set) var calls: [String] = []

  override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
  override class func entity() -> NSEntityDescription { super.entity() }
  override class func fetchRequest() -> NSFetchRequest<any NSFetchRequestResult> {
    super.fetchRequest()
  }
  override var hasChanges: Bool { super.hasChanges }
  override var hasPersistentChangedValues: Bool { super.hasPersistentChangedValues }
  override var faultingState: Int { super.faultingState }
  override func awakeFromInsert() {
    super.awakeFromInsert()
    calls.append("awakeFromInsert")
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    calls.append("awakeFromFetch")
  }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
  }
  override func prepareForDeletion() { calls.append("prepareForDeletion") }
  override func willSave() { calls.append("willSave") }
  override func didSave() { calls.append("didSave") }
  override func willTurnIntoFault() { calls.append("willTurnIntoFault") }
  override func didTurnIntoFault() { calls.append("didTurnIntoFault") }
  override func validateForInsert() throws {
    calls.append("validateForInsert")
    try super.validateForInsert()
  }
  override func validateForUpdate() throws { try super.validateForUpdate() }
  override func validateForDelete() throws {
    calls.append("validateForDelete")
    try super.validateForDelete()
  }
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    try super.validateValue(value, forKey: key)
  }
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKeyPath keyPath: String
  ) throws {
    try super.validateValue(value, forKeyPath: keyPath)
  }
  override func setNilValueForKey(_ key: String) { super.setNilValueForKey(key) }
  override func willAccessValue(forKey key: String?) { super.willAccessValue(forKey: key) }
  override func didAccessValue(forKey key: String?) { super.didAccessValue(forKey: key) }
  override func willChangeValue(forKey key: String) { super.willChangeValue(forKey: key) }
  override func didChangeValue(forKey key: String) { super.didChangeValue(forKey: key) }
  override func value(forKey key: String) -> Any? { super.value(forKey: key) }
  override func setValue(_ value: Any?, forKey key: String) { super.setValue(value, forKey: key) }
  override func value(forKeyPath keyPath: String) -> Any? { super.value(forKeyPath: keyPath) }
  override func value(forUndefinedKey key: String) -> Any? { nil }
  override func setValue(_ value: Any?, forUndefinedKey key: String) {}
  override func changedValues() -> [String: Any] { super.changedValues() }
  override func changedValuesForCurrentEvent() -> [String: Any] {
    super.changedValuesForCurrentEvent()
  }
  override func committedValues(forKeys keys: [String]?) -> [String: Any] {
    super.committedValues(forKeys: keys)
  }
  override func hasFault(forRelationshipNamed key: String) -> Bool {
    super.hasFault(forRelationshipNamed: key)
  }
  override func objectIDs(forRelationshipNamed key: String) -> [NSManagedObjectID] {
    super.objectIDs(forRelationshipNamed: key)
  }
}

final class Unmodeled: NSManagedObject {}
