import CoreData
import Testing

/// Sources: see `ConstraintConflictTests`. Source for values that a new object lacks: public merge policies whose code
/// copies the stored values (quigs.blog, LohnesskoeChudo/w2p).
@Suite("Constraint policies")
struct ConstraintPolicyTests {
  @Test("If the object wins, one row remains, with the attributes of the new object")
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
      // The new object has no score, so the stored score is removed: public policies need code to preserve it.
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

  @Test(
    "If the object wins, the row's one-to-one destination is disconnected, even if it was read before it was connected"
  )
  func objectTrumpOneToOne() throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let writers = try ConstraintConflictTests.writers(policy)
      let ann = writers.there.insert("Player", ["name": "Ann"])
      let old = writers.there.insert("Locker", ["number": 1])
      try writers.there.save()
      let read = try writers.here.existingObject(with: old.objectID)
      #expect(read.value(forKey: "owner") == nil)
      old["owner"] = ann
      try writers.there.save()
      let new = writers.here.insert("Player", ["name": "Ann"])
      let locker = writers.here.insert("Locker", ["number": 2, "owner": new])
      try writers.here.save()
      let text = "\(policy.mergeType)"
      #expect(!writers.here.hasChanges && read.value(forKey: "owner") == nil, "\(text)")
      let stored = try #require(writers.stored(ann))
      #expect(stored.value(forKeyPath: "locker.number") as? Int == 2, "\(text)")
      #expect(writers.stored(old)?.value(forKey: "owner") == nil, "\(text)")
      #expect(
        writers.stored(locker)?.value(forKeyPath: "owner.name") as? String == "Ann", "\(text)")
    }
  }

  @Test(
    "A deny rule does not prevent a row from being replaced, and the row's destination is disconnected"
  )
  func objectTrumpDenied() throws {
    let writers = try ConstraintConflictTests.writers(.mergeByPropertyObjectTrump) { model in
      model.entitiesByName["Player"]?.relationshipsByName["locker"]?.deleteRule = .denyDeleteRule
    }
    let bob = writers.here.insert("Player", ["name": "Bob"])
    let own = writers.here.insert("Locker", ["number": 2, "owner": bob])
    let other = writers.here.insert("Locker", ["number": 1])
    try writers.here.save()
    #expect(other.value(forKey: "owner") == nil)
    let ann = writers.there.insert("Player", ["name": "Ann"])
    try writers.twin(other)["owner"] = ann
    try writers.there.save()
    bob["name"] = "Ann"
    try writers.here.save()
    #expect(writers.stored(ann) == nil && writers.stored(other)?.value(forKey: "owner") == nil)
    #expect(writers.stored(own)?.value(forKeyPath: "owner.name") as? String == "Ann")
    #expect(other.value(forKey: "owner") == nil && !writers.here.hasChanges)
  }

  @Test(
    "If the store wins, the duplicate is discarded, and relationships refer to the row's object")
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

  @Test("Of several new objects with the same values, the policy keeps the newest or the first")
  func duplicatesInOneSave() throws {
    for policy in NSMergePolicy.resolving {
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

  @Test("An object changed to another row's values replaces that row, or its changes are reverted")
  func savedObjects() throws {
    for policy in NSMergePolicy.resolving {
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
        // Only the conflicting values are reverted.
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

  @Test("An import of a thousand objects updates existing rows and inserts the rest")
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

  @Test("Relationships without an inverse also refer to the remaining object")
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

  @Test("In an ordered relationship without an inverse, the remaining object gets the position")
  func orderedOneWay() throws {
    let model = ConstraintConflictTests.model()
    let team = try #require(model.entitiesByName["Team"])
    let trophy = try #require(model.entitiesByName["Trophy"])
    trophy.uniquenessConstraints = [["title"]]
    team.properties += [
      SampleStack.relationship("prizes", to: trophy, toMany: true, isOrdered: true)
    ]
    let writers = try TwoWriters(model: model, policy: .mergeByPropertyStoreTrump)
    writers.there.insert("Trophy", ["title": "b"])
    try writers.there.save()
    let prizes = ["a", "b", "c"].map { writers.here.insert("Trophy", ["title": $0]) }
    let reds = writers.here.insert("Team", ["name": "Reds"])
    reds["prizes"] = NSOrderedSet(array: prizes)
    try writers.here.save()
    func titles(_ object: NSManagedObject?) -> [String] {
      (object?.value(forKey: "prizes") as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?["title"] } ?? []
    }
    #expect(titles(reds) == ["a", "b", "c"])
    #expect(titles(writers.stored(reds)) == ["a", "b", "c"])
  }

  @Test("Relationships without an inverse refer to the last of several replacements")
  func chain() throws {
    for policy in NSMergePolicy.resolving {
      let model = ConstraintConflictTests.model()
      let player = try #require(model.entitiesByName["Player"])
      player.uniquenessConstraints = [["name"], ["number"]]
      let trophy = try #require(model.entitiesByName["Trophy"])
      trophy.properties += [SampleStack.relationship("finalist", to: player)]
      let writers = try TwoWriters(model: model, policy: policy)
      writers.there.insert("Player", ["name": "Cid", "number": 2])
      try writers.there.save()
      let first = writers.here.insert("Player", ["name": "Ann", "number": 1])
      let second = writers.here.insert("Player", ["name": "Ann", "number": 2])
      let cups = [first, second].map { writers.here.insert("Trophy", ["finalist": $0]) }
      try writers.here.save()
      let players = try writers.reader().all("Player")
      let numbers = Set(players.map { $0["number"] as Int? })
      #expect(numbers.count == players.count)
      for cup in cups {
        let finalist = writers.stored(cup)?.value(forKey: "finalist") as? NSManagedObject
        #expect(players.contains { $0.objectID == finalist?.objectID }, "\(policy)")
      }
    }
  }

  @Test(
    "A conflict is found if the row's object is outdated and has only changes of its relationships")
  func olderObject() throws {
    for policy in NSMergePolicy.resolving {
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
