import CoreData
import Synchronization
import Testing

/// Records its state in `didSave`, and changes itself there if requested.
final class Witness: NSManagedObject {
  private(set) var seen: [String] = []
  var changesInDidSave = false

  override func didSave() {
    super.didSave()
    seen.append(
      "inserted \(isInserted) updated \(isUpdated) deleted \(isDeleted)"
        + " context \(managedObjectContext != nil) changed \(changedValues().count)"
        + " temporary \(objectID.isTemporaryID)")
    if changesInDidSave {
      changesInDidSave = false
      setValue("again", forKey: "name")
      managedObjectContext?.processPendingChanges()
    }
  }
}

/// Records a value that it has in `awakeFromInsert`.
final class Newborn: NSManagedObject {
  private(set) var ageAtInsertion: Int?

  override func awakeFromInsert() {
    super.awakeFromInsert()
    ageAtInsertion = value(forKey: "age") as? Int
  }
}

@Suite("State of managed objects during a save", .onEveryStore)
struct SavedObjectTests {
  private func stack() throws -> SampleStack {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "CoreDataTests.Witness"
    return try SampleStack(model: model)
  }

  // Sources: NSManagedObject's page for didSave, and the order of a save in public descriptions:
  // didSave, then the flags are cleared, then the notification.
  @Test("The flags of saved objects are set in didSave and cleared before the notification")
  func flags() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let player = try #require(context.insert("Player") as? Witness)
      // Notifications are posted on the thread of the save.
      nonisolated(unsafe) let observed = player
      let flags = Mutex<[String]>([])
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in
        let text =
          "inserted \(observed.isInserted) updated \(observed.isUpdated)"
          + " deleted \(observed.isDeleted) changes \(observed.hasChanges)"
        flags.withLock { $0.append(text) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.save()
      #expect(
        player.seen == [
          "inserted true updated false deleted false context true changed 0 temporary false"
        ])
      let clear = "inserted false updated false deleted false changes false"
      #expect(!player.isInserted && flags.withLock { $0 } == [clear])
      player.setValue("Ann", forKey: "name")
      try context.save()
      #expect(
        player.seen.last
          == "inserted false updated true deleted false context true changed 0 temporary false")
      #expect(!player.hasChanges && player.changedValues().isEmpty)
      #expect(flags.withLock { $0 } == [clear, clear])
      #expect(player.committedValues(forKeys: ["name"])["name"] as? String == "Ann")
      context.delete(player)
      try context.save()
      #expect(player.seen.last?.contains("deleted true context true") == true)
      // Source: tests of FreeCoreData. Afterwards the object is neither deleted nor in a context.
      #expect(!player.isDeleted && player.managedObjectContext == nil)
      #expect(player.value(forKey: "name") == nil)
    }
  }

  // Source: NSManagedObject's page for didSave. Changes made there make the context dirty again.
  @Test("Changes made in didSave remain unsaved")
  func changesOfDidSave() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let player = try #require(context.insert("Player") as? Witness)
      player.changesInDidSave = true
      try context.save()
      #expect(player.isUpdated && !player.isInserted)
      #expect(context.updatedObjects == [player] && context.insertedObjects.isEmpty)
      #expect(player.changedValues()["name"] as? String == "again")
      try context.save()
      #expect(!context.hasChanges)
      context.reset()
      #expect(try context.all("Player", "name == 'again'").count == 1)
    }
  }

  // Source: FreeCoreData's tests. An insertion that is deleted again leaves no trace, and rolled-back insertions are
  // not registered.
  @Test("Insertions that are deleted or rolled back before a save leave no trace")
  func goneInsertions() throws {
    let stack = try stack()
    let context = stack.context
    try context.performAndWait {
      let player = context.insert("Player")
      context.delete(player)
      context.processPendingChanges()
      #expect(context.deletedObjects.isEmpty && !context.hasChanges)
      let log = Recorder(.NSManagedObjectContextDidSave, of: context)
      try context.save()
      #expect((log.notifications.first?.userInfo?[NSDeletedObjectsKey] as? NSSet)?.count ?? 0 == 0)
      let other = context.insert("Player")
      context.rollback()
      #expect(other.managedObjectContext == nil && !context.registeredObjects.contains(other))
    }
  }

  // Source: FreeCoreData's tests. A value object that is changed in place is also in the snapshot, so that even setting
  // it again saves nothing.
  @Test(
    "A value that was changed in place does not count as a change, but another value does",
    .only(TestedStore.allCases, "the custom test store keeps the object itself"))
  func poisonedSnapshot() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Team"]?.properties.append(
      SampleStack.attribute("notes", .transformableAttributeType))
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let team = context.insert("Team", ["notes": NSMutableArray(array: ["a"])])
      try context.save()
      let notes = try #require(team.value(forKey: "notes") as? NSMutableArray)
      notes.add("b")
      team.setValue(notes, forKey: "notes")
      #expect(team.hasChanges && !team.hasPersistentChangedValues)
      try context.save()
      context.refresh(team, mergeChanges: false)
      #expect((team.value(forKey: "notes") as? NSArray)?.count == 1)
      team.setValue(NSMutableArray(array: ["a", "b"]), forKey: "notes")
      #expect(team.hasPersistentChangedValues)
      try context.save()
      context.refresh(team, mergeChanges: false)
      #expect((team.value(forKey: "notes") as? NSArray)?.count == 2)
    }
  }

  // Sources: NSAttributeDescription's page for defaultValue; FreeCoreData's tests.
  @Test("Defaults are set before awakeFromInsert, are shared, and can be replaced by nil")
  func defaults() throws {
    let model = SampleStack.makeModel()
    let player = model.entitiesByName["Player"]
    player?.managedObjectClassName = "CoreDataTests.Newborn"
    player?.attributesByName["age"]?.defaultValue = 18
    let shared = NSMutableArray(array: ["a"])
    let notes = SampleStack.attribute("notes", .transformableAttributeType)
    notes.defaultValue = shared
    let count = SampleStack.attribute("count", .integer32AttributeType)
    count.isTransient = true
    count.defaultValue = 7
    player?.properties += [notes, count]
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let (ann, bea) = (context.insert("Player"), context.insert("Player", ["age": nil]))
      #expect((ann as? Newborn)?.ageAtInsertion == 18)
      #expect((bea as? Newborn)?.ageAtInsertion == 18)
      #expect(ann.value(forKey: "age") as? Int == 18 && bea.value(forKey: "age") == nil)
      #expect(ann.value(forKey: "notes") as? NSMutableArray === shared)
      #expect(bea.value(forKey: "notes") as? NSMutableArray === shared)
      try context.save()
      context.refreshAllObjects()
      #expect(ann.value(forKey: "age") as? Int == 18 && bea.value(forKey: "age") == nil)
      ann.setValue(8, forKey: "count")
      try context.save()
      #expect(ann.value(forKey: "count") as? Int == 8)
      context.refreshAllObjects()
      #expect(ann.value(forKey: "count") as? Int == 7)
      // Source: FreeCoreData's tests. An object that survives a reset is a fault without a context.
      context.reset()
      #expect(ann.isFault && ann.managedObjectContext == nil)
      #expect(ann.value(forKey: "count") as? Int == 7)
      #expect(ann.value(forKey: "age") == nil)
    }
  }

  // Sources: NSManagedObject's page, value types; NSAttributeType in NSAttributeDescription.h.
  @Test("value(forKey:) returns the value type of each attribute type")
  func valueTypes() throws {
    let thing = NSEntityDescription()
    thing.name = "Thing"
    let values: [(String, NSAttributeType, Any)] = [
      ("int16", .integer16AttributeType, 5), ("int32", .integer32AttributeType, 6),
      ("int64", .integer64AttributeType, 7), ("double", .doubleAttributeType, 1.5),
      ("float", .floatAttributeType, Float(2.5)), ("flag", .booleanAttributeType, true),
      ("amount", .decimalAttributeType, NSDecimalNumber(string: "1.25")),
      ("text", .stringAttributeType, "a"), ("day", .dateAttributeType, Date.distantPast),
      ("id", .UUIDAttributeType, UUID()), ("bytes", .binaryDataAttributeType, Data([1, 2])),
      ("link", .URIAttributeType, URL(fileURLWithPath: "/a")),
    ]
    thing.properties = values.map { SampleStack.attribute($0.0, $0.1) }
    let model = NSManagedObjectModel()
    model.entities = [thing]
    try onEveryStore { kind, folder in
      let context = try kind.open(model, at: kind.url(in: folder)).context
      try context.performAndWait {
        let object = context.insert("Thing")
        for (key, _, value) in values { object.setValue(value, forKey: key) }
        for _ in 0..<2 {
          for (key, type, expected) in values {
            let value = object.value(forKey: key)
            switch type {
            case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
              .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
              #expect(value is NSNumber, "\(key)")
            case .decimalAttributeType: #expect(value is NSDecimalNumber)
            default: break
            }
            #expect(
              NSDictionary(dictionary: ["v": value ?? NSNull()])
                == NSDictionary(dictionary: ["v": expected]), "\(kind) \(key)")
          }
          #expect(object.value(forKey: "int16") as? Int16 == 5)
          #expect(object.value(forKey: "flag") as? Bool == true)
          #expect(object.value(forKey: "float") as? Float == 2.5)
          #expect(object.value(forKey: "day") as? Date == .distantPast)
          try context.save()
          context.refreshAllObjects()
        }
      }
    }
  }

  // Source: public reports of NSUndefinedKeyException.
  @Test("An unknown key stops the program with Apple's text")
  func unknownKey() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let context = try SampleStack().context
      context.performAndWait { _ = context.insert("Player").value(forKey: "nam") }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      text.contains("the entity Player is not key value coding-compliant for the key \"nam\"."))
  }

  // Source: Core Data Programming Guide, "Fetched Properties".
  @Test("A fetched property's predicate can use the object and the property")
  func fetchedProperty() throws {
    let model = SampleStack.makeModel()
    let rivals = NSFetchedPropertyDescription()
    rivals.name = "rivals"
    rivals.userInfo = ["limit": "30"]
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Player")
    request.predicate = NSPredicate(
      format: "team != $FETCH_SOURCE AND age < $FETCHED_PROPERTY.userInfo.limit")
    rivals.fetchRequest = request
    model.entitiesByName["Team"]?.properties.append(rivals)
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let (red, blue) = (context.insert("Team"), context.insert("Team"))
      for (age, team) in [(20, red), (25, blue), (35, blue)] {
        context.insert("Player", ["age": age, "team": team])
      }
      try context.save()
      let found = red.value(forKey: "rivals") as? [NSManagedObject]
      #expect(found?.map { $0.value(forKey: "age") as? Int } == [25])
    }
  }

  // Source: Apple's page on derived attributes and its restrictions. Derived values are available
  // after the save.
  @Test(
    "Derived attributes copy to-one values, change case, count, sum and store the save time",
    .only(TestedStore.sqlKinds, "Apple: atomic stores reject derived attributes"))
  func derived() throws {
    let model = SampleStack.makeModel()
    func add(_ entity: String, _ name: String, _ type: NSAttributeType, _ format: String) {
      let attribute = NSDerivedAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.derivationExpression = NSExpression(format: format)
      model.entitiesByName[entity]?.properties.append(attribute)
    }
    add("Player", "teamName", .stringAttributeType, "team.name")
    add("Team", "upper", .stringAttributeType, "uppercase:(name)")
    add("Team", "lower", .stringAttributeType, "lowercase:(name)")
    add("Team", "plain", .stringAttributeType, "canonical:(name)")
    add("Team", "size", .integer64AttributeType, "players.@count")
    add("Team", "years", .integer64AttributeType, "players.age.@sum")
    add("Team", "changed", .dateAttributeType, "now()")
    // A model of SwiftGen (Fixtures/CoreData, "Model 2") has such an attribute.
    add("Team", "seconds", .doubleAttributeType, "now()")
    let context = try SampleStack(model: model).context
    try context.performAndWait {
      let team = context.insert("Team", ["name": "Équipe"])
      let players = [20, 30].map { context.insert("Player", ["age": $0, "team": team]) }
      #expect(team.value(forKey: "size") == nil && team.value(forKey: "upper") == nil)
      let before = Date()
      try context.save()
      #expect(team.value(forKey: "upper") as? String == "ÉQUIPE")
      #expect(team.value(forKey: "lower") as? String == "équipe")
      #expect(team.value(forKey: "plain") as? String == "equipe")
      #expect(team.value(forKey: "size") as? Int == 2)
      #expect(team.value(forKey: "years") as? Int == 50)
      #expect(players[0].value(forKey: "teamName") as? String == "Équipe")
      let changed = try #require(team.value(forKey: "changed") as? Date)
      #expect(abs(changed.timeIntervalSince(before)) < 60)
      let seconds = try #require(team.value(forKey: "seconds") as? Double)
      #expect(abs(seconds - before.timeIntervalSinceReferenceDate) < 60)
    }
  }
}
