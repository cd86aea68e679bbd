import CoreData
import Testing

/// Sources: as of the tests of constraint conflicts; for values that a new object lacks, public
/// policies that keep them by hand (quigs.blog, LohnesskoeChudo/w2p).
@Suite("Constraint policies")
struct ConstraintPolicyTests {
  @Test("Where the object trumps, one row is left with the attributes of the new object")
  func objectTrump() throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let writers = try ConstraintConflictTests.writers(policy)
      let red = writers.there.insert("Team", ["name": "Reds"])
      let ann = writers.there.insert(
        "Player", ["name": "Ann", "age": 30, "score": 1.5, "team": red])
      let oldTag = writers.there.insert("Tag", ["label": "old", "players": Set([ann])])
      try writers.there.save()
      let new = writers.here.insert("Player", ["name": "Ann", "age": 31])
      let tag = writers.here.insert("Tag", ["label": "new", "players": Set([new])])
      let locker = writers.here.insert("Locker", ["number": 4, "owner": new])
      try writers.here.save()
      let text = "\(policy.mergeType)"
      #expect(new.managedObjectContext == nil && !writers.here.hasChanges, "\(text)")
      #expect(try writers.reader().all("Player").map { $0.objectID } == [ann.objectID], "\(text)")
      let stored = try #require(writers.stored(ann))
      // Public policies that keep old values by hand show that missing ones replace them, too.
      #expect(stored["age"] == 31 && stored["score"] == nil as Double?, "\(text)")
      #expect(stored.value(forKeyPath: "team.name") as? String == "Reds", "\(text)")
      #expect(stored.value(forKeyPath: "locker.number") as? Int == 4, "\(text)")
      let labels = (stored.value(forKey: "tags") as? Set<NSManagedObject> ?? [])
        .compactMap { $0["label"] as String? }
      #expect(labels.sorted() == ["new", "old"], "\(text)")
      let kept = try writers.here.existingObject(with: ann.objectID)
      #expect(locker.value(forKey: "owner") as? NSManagedObject === kept, "\(text)")
      #expect(tag.value(forKey: "players") as? Set<NSManagedObject> == [kept], "\(text)")
      #expect(kept["age"] == 31 && kept.changedValues().isEmpty, "\(text)")
      #expect(writers.stored(oldTag) != nil, "\(text)")
    }
  }

  @Test("Where the store trumps, the duplicate is discarded and others lead to the row's object")
  func storeTrump() throws {
    for policy in [NSMergePolicy.mergeByPropertyStoreTrump, .rollback] {
      let writers = try ConstraintConflictTests.writers(policy)
      let reds = writers.there.insert("Team", ["name": "Reds"])
      let ann = writers.there.insert("Player", ["name": "Ann", "age": 30, "team": reds])
      try writers.there.save()
      let team = writers.here.insert("Team", ["name": "Reds"])
      let duplicate = writers.here.insert("Player", ["name": "Ann", "age": 1, "team": team])
      let bob = writers.here.insert("Player", ["name": "Bob", "team": team])
      let locker = writers.here.insert("Locker", ["number": 4, "owner": duplicate])
      try writers.here.save()
      let text = "\(policy.mergeType)"
      #expect(!writers.here.hasChanges, "\(text)")
      #expect(team.managedObjectContext == nil, "\(text)")
      #expect(duplicate.managedObjectContext == nil, "\(text)")
      #expect(
        (bob.value(forKey: "team") as? NSManagedObject)?.objectID == reds.objectID, "\(text)")
      #expect(
        (locker.value(forKey: "owner") as? NSManagedObject)?.objectID == ann.objectID, "\(text)")
      #expect(try ConstraintConflictTests.names(writers) == ["Ann", "Bob"], "\(text)")
      #expect(try ConstraintConflictTests.names(writers, "Team") == ["Reds"], "\(text)")
      #expect(writers.stored(ann)?["age"] == 30, "\(text)")
      #expect(writers.stored(bob)?.value(forKeyPath: "team.name") as? String == "Reds", "\(text)")
      #expect(
        writers.stored(locker)?.value(forKeyPath: "owner.name") as? String == "Ann", "\(text)")
    }
  }

  @Test("Of several new objects with the same values one is left: the newest, or the first")
  func duplicatesInOneSave() throws {
    for policy in NSMergePolicy.settling {
      let writers = try ConstraintConflictTests.writers(policy)
      let team = writers.here.insert("Team", ["name": "Reds"])
      for age in 1...4 { writers.here.insert("Player", ["name": "Ann", "age": age, "team": team]) }
      try writers.here.save()
      let isNewest =
        policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
      let stored = try writers.reader().all("Player")
      #expect(stored.map { $0["age"] } == [isNewest ? 4 : 1], "\(policy.mergeType)")
      #expect((team.value(forKey: "players") as? NSSet)?.count == 1, "\(policy.mergeType)")
      #expect(!writers.here.hasChanges)
    }
  }

  @Test("A row, an object changed to its values, and a new one: one row is left")
  func savedObjects() throws {
    for policy in NSMergePolicy.settling {
      let writers = try ConstraintConflictTests.writers(policy)
      let players = ["Ann", "Bob"].map { writers.here.insert("Player", ["name": $0, "age": 1]) }
      try writers.here.save()
      players[1]["name"] = "Ann"
      players[1]["age"] = 2
      try writers.here.save()
      let text = "\(policy.mergeType)"
      let stored = try writers.reader().all("Player", sort: ["name"])
      switch policy.mergeType {
      case .mergeByPropertyStoreTrumpMergePolicyType:
        // Only the values that are taken are given up.
        #expect(stored.map { $0["name"] } == ["Ann", "Bob"], "\(text)")
        #expect(stored.map { $0["age"] } == [1, 2], "\(text)")
        #expect(players[1]["name"] == "Bob" && players[1]["age"] == 2, "\(text)")
      case .rollbackMergePolicyType:
        #expect(stored.map { $0["name"] } == ["Ann", "Bob"], "\(text)")
        #expect(stored.map { $0["age"] } == [1, 1], "\(text)")
        #expect(players[1]["name"] == "Bob" && players[1]["age"] == 1, "\(text)")
      default:
        #expect(stored.map { $0.objectID } == [players[1].objectID], "\(text)")
        #expect(stored.map { $0["age"] } == [2], "\(text)")
        #expect(players[0].managedObjectContext == nil, "\(text)")
      }
      #expect(!writers.here.hasChanges, "\(text)")
    }
  }

  @Test("An import of a thousand objects updates those that are there and adds the others")
  func importing() throws {
    let writers = try ConstraintConflictTests.writers(.mergeByPropertyObjectTrump)
    for number in stride(from: 0, to: 1000, by: 2) {
      writers.there.insert("Player", ["name": "n\(number)", "age": 1])
    }
    try writers.there.save()
    for number in 0..<1000 { writers.here.insert("Player", ["name": "n\(number)", "age": 2]) }
    try writers.here.save()
    let reader = writers.reader()
    #expect(try reader.all("Player").count == 1000)
    #expect(try reader.all("Player", "age == 2").count == 1000)
    #expect(!writers.here.hasChanges)
  }

  @Test("Relationships without an inverse lead to the object that is left, too")
  func oneWay() throws {
    let model = ConstraintConflictTests.model()
    let team = try #require(model.entitiesByName["Team"])
    let trophy = try #require(model.entitiesByName["Trophy"])
    trophy.properties += [SampleStack.relationship("sponsor", to: team)]
    let writers = try TwoWriters(model: model, policy: .mergeByPropertyStoreTrump)
    let reds = writers.there.insert("Team", ["name": "Reds"])
    try writers.there.save()
    let duplicate = writers.here.insert("Team", ["name": "Reds"])
    let cup = writers.here.insert("Trophy", ["title": "Cup", "sponsor": duplicate])
    try writers.here.save()
    #expect((cup.value(forKey: "sponsor") as? NSManagedObject)?.objectID == reds.objectID)
    #expect(writers.stored(cup)?.value(forKeyPath: "sponsor.name") as? String == "Reds")
  }

  @Test("A policy of the program's changes the new object, calls super, and finds the rows merged")
  func subclass() throws {
    /// What public code does: values that the new object lacks are those that the row has.
    final class Filling: NSMergePolicy, @unchecked Sendable {
      override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
          guard let database = conflict.databaseObject else { continue }
          for object in conflict.conflictingObjects {
            for key in object.entity.attributesByName.keys where object.value(forKey: key) == nil {
              object.setValue(database.value(forKey: key), forKey: key)
            }
          }
        }
        try super.resolve(constraintConflicts: list)
        #expect(list.allSatisfy { $0.databaseObject?["age"] == 31 })
      }
    }
    let writers = try ConstraintConflictTests.writers(
      Filling(merge: .mergeByPropertyObjectTrumpMergePolicyType))
    let ann = writers.there.insert("Player", ["name": "Ann", "age": 30, "score": 1.5])
    try writers.there.save()
    writers.here.insert("Player", ["name": "Ann", "age": 31])
    try writers.here.save()
    #expect(writers.stored(ann)?["age"] == 31 && writers.stored(ann)?["score"] == 1.5)
  }

  @Test("A policy of the program's may settle a conflict by itself, and may throw")
  func ownSettling() throws {
    struct Refusal: Error {}
    final class Deleting: NSMergePolicy, @unchecked Sendable {
      var refuses = true
      override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if refuses { throw Refusal() }
        for object in list.flatMap(\.conflictingObjects) {
          object.managedObjectContext?.delete(object)
        }
      }
    }
    let policy = Deleting(merge: .errorMergePolicyType)
    let writers = try ConstraintConflictTests.writers(policy)
    writers.there.insert("Player", ["name": "Ann", "age": 30])
    try writers.there.save()
    let new = writers.here.insert("Player", ["name": "Ann", "age": 31])
    #expect(throws: Refusal.self) { try writers.here.save() }
    #expect(new.isInserted)
    policy.refuses = false
    try writers.here.save()
    #expect(new.managedObjectContext == nil)
    #expect(try writers.reader().all("Player").map { $0["age"] } == [30])
  }

  @Test("A conflict that a program describes has the values of its first object")
  func described() throws {
    let context = NSManagedObjectContext.confined(
      to: try SampleStack(model: ConstraintConflictTests.model()).coordinator)
    let ann = context.insert("Player", ["name": "Ann", "number": 3])
    let conflict = NSConstraintConflict(
      constraint: ["name", "number", "score"], database: nil, databaseSnapshot: ["age": 4],
      conflicting: [ann], conflictingSnapshots: [NSNull()])
    #expect(conflict.constraintValues["name"] as? String == "Ann")
    #expect(conflict.constraintValues["number"] as? Int == 3)
    #expect(conflict.constraintValues["score"] is NSNull)
    #expect(conflict.databaseSnapshot?["age"] as? Int == 4)
    #expect(conflict.conflictingSnapshots.count == 1 && conflict.conflictingSnapshots[0].isEmpty)
  }

  // MARK: Stores

  @Test("Constraints are kept in stores of every kind")
  func everyStore() throws {
    for policy in [NSMergePolicy.error] + NSMergePolicy.settling {
      try onEveryStore { kind, _ in
        let writers = try ConstraintConflictTests.writers(policy, kind)
        let ann = writers.there.insert("Player", ["name": "Ann", "age": 30])
        try writers.there.save()
        writers.here.insert("Player", ["name": "Ann", "age": 31])
        let text = "\(kind) \(policy.mergeType)"
        if policy === NSMergePolicy.error {
          let error = #expect(throws: NSError.self) { try writers.here.save() }
          #expect(error?.code == NSManagedObjectConstraintMergeError, "\(text)")
          #expect(error?.constraintConflicts.count == 1, "\(text)")
          return
        }
        try writers.here.save()
        let isNew =
          policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
        #expect(try writers.reader().all("Player").count == 1, "\(text)")
        #expect(writers.stored(ann)?["age"] == (isNew ? 31 : 30), "\(text)")
      }
    }
  }

  @Test("A file that breaks a constraint can be read: another program wrote it without")
  func fileThatBreaksAConstraint() throws {
    let folder = try TemporaryFolder()
    let url = TestedStore.xml.url(in: folder)
    let plain = NSManagedObjectContext.confined(
      to: try TestedStore.xml.open(SampleStack.makeModel(), at: url).context
        .persistentStoreCoordinator)
    for age in 1...2 { plain.insert("Player", ["name": "Ann", "age": age]) }
    try plain.save()
    let context = NSManagedObjectContext.confined(
      to: try TestedStore.xml.open(
        ConstraintConflictTests.model(), at: url,
        options: [NSIgnorePersistentStoreVersioningOption: true]
      ).context.persistentStoreCoordinator)
    #expect(try context.all("Player", sort: ["age"]).map { $0["age"] } == [1, 2])
    context.insert("Player", ["name": "Bob"])
    try context.save()
    #expect(try context.all("Player").count == 3)
  }

  @Test(
    "A row with the values is found also where its object is older, and only its members change")
  func olderObject() throws {
    for policy in NSMergePolicy.settling {
      let writers = try ConstraintConflictTests.writers(policy)
      let player = writers.here.insert("Player", ["name": "old", "age": 1])
      let tag = writers.here.insert("Tag", ["label": "tall"])
      try writers.here.save()
      try writers.twin(player)["name"] = "Ann"
      try writers.there.save()
      player.mutableSetValue(forKey: "tags").add(tag)
      writers.here.insert("Player", ["name": "Ann", "age": 2])
      try writers.here.save()
      let isNew =
        policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
      #expect(player["name"] == "Ann" && player["age"] == (isNew ? 2 : 1), "\(policy.mergeType)")
      let stored = try writers.reader().all("Player")
      #expect(stored.map { $0["name"] } == ["Ann"], "\(policy.mergeType)")
      #expect((stored[0].value(forKey: "tags") as? NSSet)?.count == 1, "\(policy.mergeType)")
      #expect(!writers.here.hasChanges)
    }
  }
}
