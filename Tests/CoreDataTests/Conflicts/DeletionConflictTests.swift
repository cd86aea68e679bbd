import CoreData
import Testing

/// The outcome for an object that one save deletes and another changes, which Apple does not document. If the store
/// wins, the context adopts what the other save did; if the object wins, the store adopts what this context did
/// (see "Differences").
@Suite("Conflicts with deletions")
struct DeletionConflictTests {
  @Test(
    "A changed object that another context deleted is removed, or its row is restored",
    arguments: TwoWriters.Arrangement.allCases)
  func deletedThere(_ arrangement: TwoWriters.Arrangement) throws {
    for policy in NSMergePolicy.resolving {
      for isFault in [false, true] {
        let writers = try TwoWriters(arrangement, policy: policy)
        let setup = writers.reader()
        let team = setup.insert("Team", ["name": "Reds"])
        setup.insert("Player", ["name": "Ann", "age": 1, "team": team])
        try setup.save()
        let player = try #require(try writers.here.all("Player").first)
        if !isFault { #expect(player["age"] == 1) }
        writers.there.delete(try writers.twin(player))
        try writers.there.save()
        let id = player.objectID
        player["name"] = "Bea"
        let tag = writers.here.insert("Tag", ["label": "tall"])
        player.mutableSetValue(forKey: "tags").add(tag)
        try writers.here.save()
        let text = "\(policy.mergeType) fault \(isFault)"
        #expect(!writers.here.hasChanges, "\(text)")
        if policy.prefersStore {
          #expect(player.managedObjectContext == nil && !player.isDeleted, "\(text)")
          #expect(try writers.reader().all("Player").isEmpty, "\(text)")
          #expect((tag.value(forKey: "players") as? NSSet)?.count == 0, "\(text)")
          #expect((writers.stored(tag)?.value(forKey: "players") as? NSSet)?.count == 0, "\(text)")
        } else {
          #expect(player.objectID == id && player["name"] == "Bea" && player["age"] == 1, "\(text)")
          let stored = try #require(writers.stored(player))
          #expect(stored["name"] == "Bea" && stored["age"] == 1, "\(text)")
          #expect(stored.value(forKeyPath: "team.name") as? String == "Reds", "\(text)")
          #expect((stored.value(forKey: "tags") as? NSSet)?.count == 1, "\(text)")
          // The next save is based on the new row.
          player["age"] = 5
          try writers.here.save()
          #expect(writers.stored(player)?["age"] == 5, "\(text)")
        }
      }
    }
  }

  @Test("A restored row does not refer to deleted rows")
  func restoredReferences() throws {
    let writers = try TwoWriters(policy: .overwrite)
    let team = writers.here.insert("Team", ["name": "Reds"])
    let player = writers.here.insert("Player", ["name": "Ann", "team": team])
    try writers.here.save()
    writers.there.delete(try writers.twin(player))
    writers.there.delete(try writers.twin(team))
    try writers.there.save()
    player["name"] = "Bea"
    try writers.here.save()
    #expect(player.value(forKey: "team") == nil)
    let stored = try #require(writers.stored(player))
    #expect(stored["name"] == "Bea" && stored.value(forKey: "team") == nil)
  }

  @Test(
    "A row without attributes is restored as well",
    arguments: TwoWriters.Arrangement.allCases)
  func restoredWithoutValues(_ arrangement: TwoWriters.Arrangement) throws {
    let model = SampleStack.makeModel()
    let tag = try #require(model.entitiesByName["Tag"])
    tag.properties.removeAll { $0.name == "label" }
    let writers = try TwoWriters(arrangement, model: model, policy: .overwrite)
    let object = writers.here.insert("Tag")
    let player = writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    writers.there.delete(try writers.twin(object))
    try writers.there.save()
    object.mutableSetValue(forKey: "players").add(player)
    try writers.here.save()
    let stored = try #require(writers.stored(object))
    #expect((stored.value(forKey: "players") as? NSSet)?.count == 1)
  }

  @Test("A context that read a row before its deletion and restoration has a conflict")
  func restoredVersion() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyObjectTrump)
    let player = writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    let third = writers.reader()
    let known = try third.existingObject(with: player.objectID)
    writers.there.delete(try writers.twin(player))
    try writers.there.save()
    player["name"] = "Bea"
    try writers.here.save()
    known["name"] = "Cyd"
    let error = try #require(#expect(throws: NSError.self) { try third.save() })
    #expect(error.conflicts.first?.oldVersionNumber == 1)
    #expect(error.conflicts.first?.newVersionNumber == 2)
  }

  @Test(
    "A deleted object that another context changed is restored, or is deleted nevertheless",
    arguments: TwoWriters.Arrangement.allCases)
  func changedThere(_ arrangement: TwoWriters.Arrangement) throws {
    for policy in NSMergePolicy.resolving {
      let writers = try TwoWriters(arrangement, policy: policy)
      let team = writers.here.insert("Team", ["name": "Reds"])
      let player = writers.here.insert("Player", ["name": "Ann", "team": team])
      let tag = writers.here.insert("Tag", ["label": "tall", "players": Set([player])])
      let trophies = (0..<3).map { writers.here.insert("Trophy", ["title": "\($0)"]) }
      team["trophies"] = NSOrderedSet(array: trophies)
      try writers.here.save()
      for object in [team, player] { try writers.twin(object)["name"] = "there" }
      try writers.there.save()
      // The team's players are disconnected, and its trophies are deleted with it.
      writers.here.delete(team)
      writers.here.delete(player)
      writers.here.processPendingChanges()
      #expect(trophies.allSatisfy { $0.isDeleted })
      try writers.here.save()
      let text = "\(policy.mergeType)"
      #expect(!writers.here.hasChanges, "\(text)")
      let reader = writers.reader()
      if policy.prefersStore {
        #expect(!team.isDeleted && team["name"] == "there" && player["name"] == "there", "\(text)")
        #expect(player.value(forKey: "team") as? NSManagedObject === team, "\(text)")
        #expect((team.value(forKey: "players") as? NSSet)?.contains(player) == true, "\(text)")
        #expect((team.value(forKey: "trophies") as? NSOrderedSet)?.array.count == 3, "\(text)")
        #expect(trophies.allSatisfy { !$0.isDeleted && $0.managedObjectContext != nil }, "\(text)")
        #expect((tag.value(forKey: "players") as? NSSet)?.contains(player) == true, "\(text)")
        let stored = try #require(writers.stored(player))
        #expect(stored.value(forKeyPath: "team.name") as? String == "there", "\(text)")
        #expect((stored.value(forKey: "tags") as? NSSet)?.count == 1, "\(text)")
        #expect(try reader.all("Trophy").count == 3, "\(text)")
      } else {
        #expect(try reader.all("Team").isEmpty && reader.all("Player").isEmpty, "\(text)")
        #expect(try reader.all("Trophy").isEmpty, "\(text)")
        #expect(team.managedObjectContext == nil && !team.isDeleted, "\(text)")
        #expect((tag.value(forKey: "players") as? NSSet)?.count == 0, "\(text)")
      }
    }
  }

  @Test(
    "With the error policy, deleting an object that another context changed fails, and the deletion stays pending"
  )
  func deletionWithErrorPolicy() throws {
    let writers = try TwoWriters()
    let player = writers.here.insert("Player", ["name": "Ann"])
    try writers.here.save()
    try writers.twin(player)["name"] = "there"
    try writers.there.save()
    writers.here.delete(player)
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.code == NSManagedObjectMergeError)
    #expect(error.conflicts.first?.sourceObject === player)
    #expect(error.conflicts.first?.newVersionNumber == 2)
    #expect(player.isDeleted && writers.here.deletedObjects == [player])
    #expect(writers.stored(player)?["name"] == "there")
  }

  @Test("An object that two contexts delete is not a conflict, whatever the policy")
  func deletedTwice() throws {
    for policy in [NSMergePolicy.error] + NSMergePolicy.resolving {
      let writers = try TwoWriters(policy: policy)
      let player = writers.here.insert("Player", ["name": "Ann"])
      try writers.here.save()
      writers.there.delete(try writers.twin(player))
      try writers.there.save()
      writers.here.delete(player)
      try writers.here.save()
      #expect(player.managedObjectContext == nil && !writers.here.hasChanges)
    }
  }

  @Test("Stores of every kind detect conflicts with deletions")
  func everyStore() throws {
    for policy in NSMergePolicy.resolving {
      try onEveryStore { kind, _ in
        let writers = try TwoWriters(.contexts, kind, policy: policy)
        let players = ["a", "b"].map { writers.here.insert("Player", ["name": $0]) }
        try writers.here.save()
        writers.there.delete(try writers.twin(players[0]))
        try writers.twin(players[1])["name"] = "there"
        try writers.there.save()
        players[0]["name"] = "here"
        writers.here.delete(players[1])
        try writers.here.save()
        let names: [String] = try writers.reader().all("Player").compactMap { $0["name"] }
        #expect(
          names == (policy.prefersStore ? ["there"] : ["here"]), "\(kind) \(policy.mergeType)")
        #expect(!writers.here.hasChanges, "\(kind) \(policy.mergeType)")
      }
    }
  }

  /// Deny rules exist to prevent dangling references, so the save applies them again to what other contexts have saved.
  /// Apple's Core Data applies them only before the save.
  @Test("A deny rule applies to members that another context added, even if the object would win")
  func deniedByOtherContext() throws {
    let model = SampleStack.makeModel()
    for (entity, relationship) in [("Player", "locker"), ("Team", "players")] {
      model.entitiesByName[entity]?.relationshipsByName[relationship]?.deleteRule = .denyDeleteRule
    }
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite] {
      let writers = try TwoWriters(model: model, policy: policy)
      let team = writers.here.insert("Team", ["name": "Reds"])
      let ann = writers.here.insert("Player", ["name": "Ann"])
      let locker = writers.here.insert("Locker", ["number": 1])
      try writers.here.save()
      #expect(locker.value(forKey: "owner") == nil)
      try writers.twin(locker)["owner"] = try writers.twin(ann)
      try writers.twin(ann)["team"] = try writers.twin(team)
      try writers.there.save()
      for (object, member) in [(ann, locker), (team, ann)] {
        writers.here.delete(object)
        expectError(NSValidationRelationshipDeniedDeleteError) { try writers.here.save() }
        writers.here.rollback()
        #expect(writers.stored(object) != nil && writers.stored(member) != nil)
      }
      // Members that this context removed deny nothing, whatever else the other context changed.
      writers.here.refreshAllObjects()
      locker.setValue(nil, forKey: "owner")
      ann.setValue(nil, forKey: "team")
      writers.here.delete(ann)
      writers.here.delete(team)
      writers.there.refreshAllObjects()
      for object in [ann, team] { try writers.twin(object)["name"] = "there" }
      try writers.there.save()
      try writers.here.save()
      #expect(writers.stored(ann) == nil && writers.stored(team) == nil)
      #expect(writers.stored(locker)?.value(forKey: "owner") == nil)
    }
  }

  @Test(
    "A deny rule applies to members that another context added to an object that a cascade deletes")
  func deniedCascade() throws {
    let model = SampleStack.makeModel()
    for (entity, relationship, rule) in [
      ("Player", "locker", NSDeleteRule.denyDeleteRule), ("Team", "players", .cascadeDeleteRule),
    ] {
      model.entitiesByName[entity]?.relationshipsByName[relationship]?.deleteRule = rule
    }
    for policy in NSMergePolicy.resolving {
      let writers = try TwoWriters(model: model, policy: policy)
      let team = writers.here.insert("Team", ["name": "Reds"])
      let ann = writers.here.insert("Player", ["name": "Ann", "team": team])
      let locker = writers.here.insert("Locker", ["number": 1])
      try writers.here.save()
      writers.here.delete(team)
      writers.here.processPendingChanges()
      try writers.twin(locker)["owner"] = try writers.twin(ann)
      try writers.there.save()
      expectError(NSValidationRelationshipDeniedDeleteError) { try writers.here.save() }
      #expect(writers.stored(team) != nil && writers.stored(ann) != nil, "\(policy.mergeType)")
      #expect(writers.stored(locker)?.value(forKeyPath: "owner.name") as? String == "Ann")
    }
  }

  @Test(
    "A restored row is connected to its one-to-one partner again, unless the partner has a new one")
  func oneToOneOfRestored() throws {
    for hasNewOwner in [false, true] {
      let writers = try TwoWriters(policy: .overwrite)
      let ann = writers.here.insert("Player", ["name": "Ann"])
      let locker = writers.here.insert("Locker", ["number": 1, "owner": ann])
      try writers.here.save()
      writers.there.delete(try writers.twin(ann))
      if hasNewOwner {
        try writers.twin(locker)["owner"] = writers.there.insert("Player", ["name": "Bob"])
      }
      try writers.there.save()
      ann["name"] = "Bea"
      try writers.here.save()
      let owner = hasNewOwner ? "Bob" : "Bea"
      #expect(writers.stored(locker)?.value(forKeyPath: "owner.name") as? String == owner)
      #expect(locker.value(forKeyPath: "owner.name") as? String == owner)
      let number = hasNewOwner ? nil : 1
      #expect(writers.stored(ann)?.value(forKeyPath: "locker.number") as? Int == number)
      #expect(ann.value(forKeyPath: "locker.number") as? Int == number)
    }
  }
}
