import CoreData
import Testing

/// Sources: NSMergePolicy.h (what a conflict holds, by level), WWDC 2015 session 220 and Apple's
/// "Configuring Entities" (one row with the new values), objc.io's tests of MoodyMergePolicy (the
/// duplicate is discarded, relationships lead to the row that is there), AltStore's MergePolicy (a
/// row whose object is changed in the same save conflicts as an object of the save).
@Suite("Constraint conflicts")
struct ConstraintConflictTests {
  /// Players are unique by name, and by number and score together; captains by the day, too.
  static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.uniquenessConstraints = [["name"], ["number", "score"]]
    model.entitiesByName["Captain"]?.uniquenessConstraints = [["since"]]
    model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
    return model
  }

  static func writers(
    _ policy: NSMergePolicy = NSMergePolicy.error, _ kind: TestedStore = .sqlite
  ) throws -> TwoWriters {
    let writers = try TwoWriters(.contexts, kind, model: model(), policy: policy)
    writers.there.mergePolicy = policy
    return writers
  }

  private func names(_ writers: TwoWriters, _ entity: String = "Player") throws -> [String] {
    try writers.reader().all(entity, sort: ["name"]).map { $0["name"] ?? "nil" }
  }

  // MARK: What is told

  @Test("A row that has the values is told with its object and values; nothing is saved")
  func databaseLevel() throws {
    let writers = try Self.writers()
    let ann = writers.there.insert("Player", ["name": "Ann", "age": 30])
    try writers.there.save()
    let new = writers.here.insert("Player", ["name": "Ann", "age": 31])
    let other = writers.here.insert("Player", ["name": "Bob"])
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == NSManagedObjectConstraintMergeError && error.code == 133021)
    let conflict = try #require(error.constraintConflicts.first)
    #expect(error.constraintConflicts.count == 1)
    #expect(conflict.constraint == ["name"])
    #expect(conflict.constraintValues["name"] as? String == "Ann")
    #expect(conflict.conflictingObjects == [new] && conflict.conflictingSnapshots.count == 1)
    #expect(conflict.conflictingSnapshots[0].isEmpty)
    #expect(conflict.databaseObject?.objectID == ann.objectID)
    #expect(conflict.databaseObject?.managedObjectContext === writers.here)
    #expect(conflict.databaseSnapshot?["age"] as? Int == 30)
    #expect(conflict.databaseSnapshot?["team"] is NSNull)
    #expect(error.userInfo[NSInsertedObjectsKey] as? [NSManagedObjectID] == [new.objectID])
    #expect(
      error.localizedDescription.hasPrefix(
        "Objects have the same values for a uniqueness constraint. (Player { name = Ann }: "))
    #expect(
      conflict.description.hasPrefix(
        "NSConstraintConflict for constraint (name) with values { name = Ann }: database: x-"))
    // They stay pending.
    #expect(new.isInserted && other.isInserted && other.objectID.isTemporaryID)
    #expect(try names(writers) == ["Ann"])
    new["name"] = "Cyd"
    try writers.here.save()
    #expect(try names(writers) == ["Ann", "Bob", "Cyd"])
  }

  @Test("Objects of one save that have the same values are told together, without a row's object")
  func contextLevel() throws {
    let writers = try Self.writers()
    let players = (0..<3).map { writers.here.insert("Player", ["name": "Ann", "age": $0]) }
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.code == NSManagedObjectConstraintMergeError)
    let conflict = try #require(error.constraintConflicts.first)
    #expect(error.constraintConflicts.count == 1)
    #expect(Set(conflict.conflictingObjects) == Set(players))
    #expect(conflict.conflictingSnapshots.count == 3)
    #expect(conflict.databaseObject == nil && conflict.databaseSnapshot == nil)
    #expect(try names(writers).isEmpty)
  }

  @Test("A row whose object is changed in the same save conflicts as an object of the save")
  func changedRow() throws {
    let writers = try Self.writers()
    let ann = writers.here.insert("Player", ["name": "Ann", "age": 1])
    try writers.here.save()
    ann["age"] = 2
    let new = writers.here.insert("Player", ["name": "Ann"])
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    let conflict = try #require(error.constraintConflicts.first)
    #expect(conflict.databaseObject == nil)
    #expect(Set(conflict.conflictingObjects) == [ann, new])
    let place = try #require(conflict.conflictingObjects.firstIndex(of: ann))
    #expect(conflict.conflictingSnapshots[place]["age"] as? Int == 1)
    #expect(conflict.conflictingSnapshots[1 - place].isEmpty)
    // An object that is only held is none of the save.
    writers.here.refresh(ann, mergeChanges: false)
    _ = ann.value(forKey: "age")
    let second = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(second.constraintConflicts.first?.databaseObject === ann)
  }

  @Test("An object that breaks several constraints has a conflict for each")
  func severalConstraints() throws {
    let writers = try Self.writers()
    writers.here.insert("Player", ["name": "Ann", "number": 1, "score": 2.0])
    try writers.here.save()
    let new = writers.here.insert("Player", ["name": "Ann", "number": 1, "score": 2.0])
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.constraintConflicts.map { $0.constraint } == [["name"], ["number", "score"]])
    #expect(error.constraintConflicts.allSatisfy { $0.conflictingObjects == [new] })
    #expect(error.constraintConflicts[1].constraintValues["score"] as? Double == 2)
    writers.here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try writers.here.save()
    #expect(try names(writers) == ["Ann"])
  }

  // MARK: What is a conflict

  @Test("Missing values are equal to nothing")
  func missingValues() throws {
    let writers = try Self.writers()
    for _ in 0..<3 { writers.here.insert("Player", ["number": 1]) }
    try writers.here.save()
    #expect(try names(writers) == ["nil", "nil", "nil"])
  }

  @Test("Two objects may exchange their unique values in one save, and three may pass them on")
  func swapping() throws {
    let writers = try Self.writers()
    let players = ["a", "b", "c"].enumerated().map { index, name in
      writers.here.insert("Player", ["name": name, "number": 7, "score": Double(index)])
    }
    try writers.here.save()
    players[0]["name"] = "b"
    players[1]["name"] = "a"
    try writers.here.save()
    #expect(players.map { writers.stored($0)?["name"] } == ["b", "a", "c"])
    for (index, player) in players.enumerated() { player["score"] = Double((index + 1) % 3) }
    try writers.here.save()
    #expect(players.map { writers.stored($0)?["score"] } == [1.0, 2.0, 0.0])
    #expect(players.map { $0.objectID.uriRepresentation().lastPathComponent }.count == 3)
    // Versions grow by one a save all the same.
    players[0]["age"] = 1
    try writers.here.save()
    #expect(!writers.here.hasChanges)
  }

  @Test("A value may be given on by deleting its object, or by changing it, in the same save")
  func handingOver() throws {
    let writers = try Self.writers()
    let (ann, bob) = (
      writers.here.insert("Player", ["name": "Ann"]), writers.here.insert("Player", ["name": "Bob"])
    )
    try writers.here.save()
    writers.here.delete(ann)
    let new = writers.here.insert("Player", ["name": "Ann", "age": 2])
    bob["name"] = "Cyd"
    let second = writers.here.insert("Player", ["name": "Bob"])
    try writers.here.save()
    #expect(try names(writers) == ["Ann", "Bob", "Cyd"])
    #expect(writers.stored(new)?["age"] == 2 && writers.stored(second)?["name"] == "Bob")
  }

  @Test("Constraints hold among the objects of subentities, and subentities have their own")
  func subentities() throws {
    let writers = try Self.writers()
    writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    let captain = writers.here.insert("Captain", ["name": "Ann"])
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.constraintConflicts.first?.constraint == ["name"])
    #expect(error.constraintConflicts.first?.conflictingObjects == [captain])
    #expect(error.constraintConflicts.first?.databaseObject?.entity.name == "Player")
    captain["name"] = "Bob"
    captain["since"] = Date(timeIntervalSinceReferenceDate: 100)
    try writers.here.save()
    writers.here.insert(
      "Captain", ["name": "Cyd", "since": Date(timeIntervalSinceReferenceDate: 100)])
    let second = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(second.constraintConflicts.first?.constraint == ["since"])
    writers.here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try writers.here.save()
    #expect(try names(writers) == ["Ann", "Cyd"])
  }

  // MARK: Policies

  @Test("Where the object trumps, one row is left with the attributes of the new object")
  func objectTrump() throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let writers = try Self.writers(policy)
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
      let writers = try Self.writers(policy)
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
      #expect(try names(writers) == ["Ann", "Bob"], "\(text)")
      #expect(try names(writers, "Team") == ["Reds"], "\(text)")
      #expect(writers.stored(ann)?["age"] == 30, "\(text)")
      #expect(writers.stored(bob)?.value(forKeyPath: "team.name") as? String == "Reds", "\(text)")
      #expect(
        writers.stored(locker)?.value(forKeyPath: "owner.name") as? String == "Ann", "\(text)")
    }
  }

  @Test("Of several new objects with the same values one is left: the newest, or the first")
  func duplicatesInOneSave() throws {
    for policy in NSMergePolicy.settling {
      let writers = try Self.writers(policy)
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
      let writers = try Self.writers(policy)
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
    let writers = try Self.writers(.mergeByPropertyObjectTrump)
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
    let model = Self.model()
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
    let writers = try Self.writers(Filling(merge: .mergeByPropertyObjectTrumpMergePolicyType))
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
    let writers = try Self.writers(policy)
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
    let stack = try SampleStack(model: Self.model())
    let ann = stack.context.insert("Player", ["name": "Ann", "number": 3])
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
        let writers = try Self.writers(policy, kind)
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
    let plain = try TestedStore.xml.open(SampleStack.makeModel(), at: url).context
    for age in 1...2 { plain.insert("Player", ["name": "Ann", "age": age]) }
    try plain.save()
    let (_, context) = try TestedStore.xml.open(
      Self.model(), at: url, options: [NSIgnorePersistentStoreVersioningOption: true])
    #expect(try context.all("Player", sort: ["age"]).map { $0["age"] } == [1, 2])
    context.insert("Player", ["name": "Bob"])
    try context.save()
    #expect(try context.all("Player").count == 3)
  }
}
