import CoreData
import Testing

/// Records every life-cycle call.
final class Diarist: NSManagedObject {
  private(set) var diary: [String] = []

  /// The calls since this property was last read.
  var news: [String] {
    defer { diary = [] }
    return diary
  }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    diary.append("awakeFromInsert")
    setPrimitiveValue("new", forKey: "name")
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    diary.append("awakeFromFetch")
    setValue(1, forKey: "visits")
  }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    diary.append("awake \(flags.rawValue)")
  }
  override func willSave() {
    super.willSave()
    diary.append("willSave")
    setPrimitiveValue("saved", forKey: "note")
  }
  override func didSave() {
    super.didSave()
    diary.append("didSave")
  }
  override func prepareForDeletion() {
    super.prepareForDeletion()
    diary.append("prepareForDeletion")
  }
  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    diary.append("willTurnIntoFault")
  }
  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    diary.append("didTurnIntoFault")
  }
  override func validateForInsert() throws {
    try super.validateForInsert()
    diary.append("validateForInsert")
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    diary.append("validateForUpdate")
  }
  override func validateForDelete() throws {
    try super.validateForDelete()
    diary.append("validateForDelete")
  }
  override func validateValue(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
  ) throws {
    if key == "name", let name = value.pointee as? String {
      value.pointee = name.trimmingCharacters(in: .whitespaces) as NSString
    }
    try super.validateValue(value, forKey: key)
  }
}

extension Diarist {
  /// A model whose only entity has the class `Diarist`.
  static func model() -> NSManagedObjectModel {
    let entity = NSEntityDescription()
    entity.name = "Diarist"
    entity.managedObjectClassName = "CoreDataTests.Diarist"
    let visits = SampleStack.attribute("visits", .integer32AttributeType)
    visits.isTransient = true
    visits.defaultValue = 0
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "namesakes"
    let request = NSFetchRequest<any NSFetchRequestResult>()
    request.entity = entity
    request.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
    fetched.fetchRequest = request
    entity.properties = [
      SampleStack.attribute("name", .stringAttributeType),
      SampleStack.attribute("note", .stringAttributeType), visits, fetched,
    ]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }
}

@Suite("The life cycle of a managed object", .onEveryStore)
struct LifeCycleTests {
  /// Calls a test's body with a context of diarists.
  private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    try SampleStack.withContext(model: Diarist.model(), body)
  }

  // Sources: Apple's pages for NSManagedObject and NSManagedObjectContext.save(); FreeCoreData's
  // tests.
  @Test("The calls come in Apple's order")
  func order() throws {
    try withContext { context in
      let object = try #require(context.insert("Diarist") as? Diarist)
      #expect(object.news == ["awakeFromInsert"])
      #expect(object.value(forKey: "name") as? String == "new")
      try context.save()
      #expect(object.news == ["willSave", "validateForInsert", "didSave"])
      object.setValue("Ann", forKey: "name")
      try context.save()
      #expect(object.news == ["willSave", "validateForUpdate", "didSave"])
      context.refresh(object, mergeChanges: false)
      #expect(object.news == ["willTurnIntoFault", "didTurnIntoFault"])
      #expect(object.value(forKey: "name") as? String == "Ann")
      #expect(object.news == ["awakeFromFetch"])
      #expect(!context.hasChanges)
      object.setValue("Bea", forKey: "name")
      context.refresh(object, mergeChanges: true)
      #expect(object.news == ["awake 32"])
      #expect(object.value(forKey: "name") as? String == "Bea")
      context.rollback()
      #expect(object.news == ["awake 16"])
      #expect(object.value(forKey: "name") as? String == "Ann")
      context.delete(object)
      #expect(object.news == ["prepareForDeletion"])
      try context.save()
      #expect(object.news == ["willSave", "validateForDelete", "didSave"])
    }
  }

  // Sources: NSManagedObject's page for awake(fromSnapshotEvents:); the bits in NSManagedObject.h.
  @Test("Undo and redo of a change call awake(fromSnapshotEvents:), and not awakeFromInsert")
  func undo() throws {
    try withContext { context in
      let undo = CoreData.UndoManager()
      context.undoManager = undo
      let object = try #require(context.insert("Diarist") as? Diarist)
      try context.save()
      undo.removeAllActions()
      _ = object.news
      object.setValue("Ann", forKey: "name")
      context.processPendingChanges()
      context.undo()
      #expect(object.news == ["awake 8"])
      #expect(object.value(forKey: "name") as? String == "new")
      context.redo()
      #expect(object.news == ["awake 8"])
      #expect(object.value(forKey: "name") as? String == "Ann")
    }
  }

  // Source: NSManagedObject's page for willSave. Setting primitive values in it does not cause another call.
  @Test("Primitive values that willSave sets are saved")
  func primitivesOfWillSave() throws {
    try withContext { context in
      let object = context.insert("Diarist")
      try context.save()
      context.refresh(object, mergeChanges: false)
      #expect(object.value(forKey: "note") as? String == "saved")
    }
  }

  @Test("A validation method can replace the value")
  func changingValidator() throws {
    try withContext { context in
      let object = context.insert("Diarist", ["name": "  Ann "])
      try context.save()
      #expect(object.value(forKey: "name") as? String == "Ann")
      context.refresh(object, mergeChanges: false)
      #expect(object.value(forKey: "name") as? String == "Ann")
    }
  }

  // Sources: NSManagedObject.h and tests of CoreDataPlus. A changed transient property marks the object as changed, but
  // leaves nothing to save. After the object became a fault, the property has its default value again.
  @Test("A transient value marks the object as changed, is not saved, and is lost on refaulting")
  func transients() throws {
    try withContext { context in
      let object = context.insert("Diarist")
      try context.save()
      object.setValue(5, forKey: "visits")
      #expect(object.hasChanges)
      #expect(!object.hasPersistentChangedValues)
      #expect(object.changedValues().isEmpty)
      #expect(object.changedValuesForCurrentEvent()["visits"] as? Int == 0)
      try context.save()
      #expect(object.value(forKey: "visits") as? Int == 5)
      context.refresh(object, mergeChanges: false)
      // awakeFromFetch sets it, which is not a change.
      #expect(object.value(forKey: "visits") as? Int == 1)
      #expect(!object.hasChanges)
    }
  }

  // Source: Core Data Programming Guide, "Fetched Properties".
  @Test("A fetched property is fetched once, until the object becomes a fault")
  func fetchedProperties() throws {
    try withContext { context in
      let object = context.insert("Diarist", ["name": "Ann"])
      context.insert("Diarist", ["name": "Bea"])
      try context.save()
      #expect((object.value(forKey: "namesakes") as? [NSManagedObject]) == [object])
      let other = context.insert("Diarist", ["name": "Ann"])
      #expect((object.value(forKey: "namesakes") as? [NSManagedObject]) == [object])
      try context.save()
      #expect((object.value(forKey: "namesakes") as? [NSManagedObject]) == [object])
      context.refresh(object, mergeChanges: false)
      #expect(
        Set((object.value(forKey: "namesakes") as? [NSManagedObject]) ?? []) == [object, other])
      #expect(!object.hasChanges)
    }
  }
}
