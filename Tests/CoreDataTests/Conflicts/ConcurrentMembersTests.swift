import CoreData
import Testing

/// Two contexts change relationships without knowing of each other. Afterwards, both sides of each relationship agree
/// in the store, no row refers to a deleted row, and ordered members have positions.
@Suite("Relationships changed by two contexts at once")
struct ConcurrentMembersTests {
  private func verify(_ writers: TwoWriters) throws {
    let store = try #require(writers.here.persistentStoreCoordinator?.persistentStores.first)
    let url = try #require(store.url)
    let found = try NSPersistentStoreCoordinator.verifyPersistentStore(at: url)
    #expect(found.findings.isEmpty, "\(found.findings)")
  }

  @Test("A refresh leaves no second owner of a one-to-one destination that this context reassigned")
  func oneToOneMerged() throws {
    for policy in NSMergePolicy.resolving + [NSMergePolicy.error] {
      let writers = try TwoWriters(policy: policy)
      let locker = writers.here.insert("Locker", ["number": 1])
      let ann = writers.here.insert("Player", ["name": "Ann"])
      let bea = writers.here.insert("Player", ["name": "Bea"])
      try writers.here.save()
      bea["locker"] = locker
      writers.here.processPendingChanges()
      try writers.twin(ann)["locker"] = try writers.twin(locker)
      try writers.there.save()
      writers.here.refresh(locker, mergeChanges: true)
      writers.here.refresh(ann, mergeChanges: true)
      #expect(locker.value(forKey: "owner") as? NSManagedObject === bea)
      #expect(ann.value(forKey: "locker") == nil)
      try writers.here.save()
      #expect(writers.stored(ann)?.value(forKey: "locker") == nil)
      try verify(writers)
    }
  }

  @Test(
    "A row that another context connected to a deleted object loses the reference, unless the object is restored"
  )
  func oneToOneDeleted() throws {
    for policy in NSMergePolicy.resolving {
      for isMerged in [false, true] {
        let writers = try TwoWriters(policy: policy)
        let locker = writers.here.insert("Locker", ["number": 1])
        let player = writers.here.insert("Player", ["name": "Ann"])
        try writers.here.save()
        writers.here.delete(player)
        writers.here.processPendingChanges()
        try writers.twin(player)["locker"] = try writers.twin(locker)
        try writers.there.save()
        if isMerged { writers.here.refresh(player, mergeChanges: true) }
        try writers.here.save()
        let stored = try #require(writers.stored(locker))
        let isKept = policy.prefersStore && !isMerged
        #expect((stored.value(forKey: "owner") != nil) == isKept, "\(policy.mergeType) \(isMerged)")
        try verify(writers)
      }
    }
  }

  @Test(
    "Deleting an owner to which another context added a member is a conflict",
    arguments: [TwoWriters.Arrangement.contexts, .coordinators])
  func lateMember(_ arrangement: TwoWriters.Arrangement) throws {
    for policy in NSMergePolicy.resolving + [NSMergePolicy.error] {
      let writers = try TwoWriters(arrangement, policy: policy)
      let team = writers.here.insert("Team", ["name": "Reds"])
      try writers.here.save()
      let twin = try writers.twin(team)
      writers.here.delete(team)
      writers.here.processPendingChanges()
      let player = writers.there.insert("Player", ["name": "Ann", "team": twin])
      writers.there.insert("Trophy", ["title": "Cup", "winner": twin])
      try writers.there.save()
      if policy.mergeType == .errorMergePolicyType {
        let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
        #expect(error.code == NSManagedObjectMergeError)
      } else {
        try writers.here.save()
      }
      let isKept = policy.prefersStore || policy.mergeType == .errorMergePolicyType
      let reader = writers.reader()
      #expect(try reader.all("Team").count == (isKept ? 1 : 0), "\(policy.mergeType)")
      #expect(try reader.all("Trophy").count == (isKept ? 1 : 0), "\(policy.mergeType)")
      let stored = try #require(writers.stored(player))
      #expect((stored.value(forKey: "team") != nil) == isKept, "\(policy.mergeType)")
      try verify(writers)
    }
  }

  @Test("Members that two contexts append to an ordered relationship have distinct positions")
  func appended() throws {
    let writers = try TwoWriters()
    let team = writers.here.insert("Team", ["name": "Reds"])
    writers.here.insert("Trophy", ["title": "a", "winner": team])
    try writers.here.save()
    #expect((team.value(forKey: "trophies") as? NSOrderedSet)?.count == 1)
    writers.there.insert("Trophy", ["title": "b", "winner": try writers.twin(team)])
    try writers.there.save()
    writers.here.insert("Trophy", ["title": "c", "winner": team])
    try writers.here.save()
    let stored = try #require(writers.stored(team))
    let titles = (stored.value(forKey: "trophies") as? NSOrderedSet)?.array
      .compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
    #expect(titles == ["a", "b", "c"])
    try verify(writers)
  }

  @Test("A new member has a position even if the changes of its owner are rolled back")
  func rolledBackOwner() throws {
    let writers = try TwoWriters(policy: NSMergePolicy.rollback)
    let team = writers.here.insert("Team", ["name": "Reds"])
    writers.here.insert("Trophy", ["title": "a", "winner": team])
    try writers.here.save()
    try writers.twin(team)["name"] = "there"
    try writers.there.save()
    team["name"] = "here"
    writers.here.insert("Trophy", ["title": "b", "winner": team])
    try writers.here.save()
    #expect(writers.stored(team)?["name"] == "there")
    let titles = (writers.stored(team)?.value(forKey: "trophies") as? NSOrderedSet)?.array
      .compactMap { ($0 as? NSManagedObject)?.value(forKey: "title") as? String }
    #expect(titles == ["a", "b"])
    try verify(writers)
  }

  @Test(
    "A destination read before another context connected it is disconnected if its owner is deleted or changed"
  )
  func partnerReadBefore() throws {
    for isDeleted in [false, true] {
      let writers = try TwoWriters()
      let locker = writers.here.insert("Locker", ["number": 1])
      let ann = writers.here.insert("Player", ["name": "Ann"])
      try writers.here.save()
      writers.here.refresh(ann, mergeChanges: false)
      #expect(locker.value(forKey: "owner") == nil)
      try writers.twin(locker)["owner"] = try writers.twin(ann)
      try writers.there.save()
      #expect(ann.value(forKey: "locker") as? NSManagedObject === locker)
      if isDeleted { writers.here.delete(ann) } else { ann.setValue(nil, forKey: "locker") }
      try writers.here.save()
      #expect(locker.value(forKey: "owner") == nil)
      #expect(writers.stored(locker)?.value(forKey: "owner") == nil)
      try verify(writers)
    }
  }

  @Test(
    "A pair of a self-inverse relationship is removed in both directions, even if one was read before the pair was added"
  )
  func reflexive() throws {
    let writers = try TwoWriters(model: KinModel.make())
    let ann = writers.here.insert("Person", ["name": "Ann"])
    let bea = writers.here.insert("Person", ["name": "Bea"])
    try writers.here.save()
    writers.here.refreshAllObjects()
    #expect(ann.names("friends") == [])
    try writers.twin(bea).mutableSetValue(forKey: "friends").add(try writers.twin(ann))
    try writers.there.save()
    #expect(bea.names("friends") == ["Ann"])
    bea.mutableSetValue(forKey: "friends").remove(ann)
    try writers.here.save()
    #expect(writers.stored(ann)?.names("friends") == [])
    #expect(writers.stored(bea)?.names("friends") == [])
    try verify(writers)
  }

  @Test(
    "Both sides agree after a conflict of one object, even if only to-many members of the other object changed"
  )
  func partnerOfMembersChanged() throws {
    for policy in NSMergePolicy.resolving {
      let writers = try TwoWriters(model: KinModel.make(), policy: policy)
      let people = ["Ann", "Bea", "Cid"].map { writers.here.insert("Person", ["name": $0]) }
      people[0]["spouse"] = people[1]
      try writers.here.save()
      let twins = try people.map { try writers.twin($0) }
      twins[2]["spouse"] = twins[1]
      try writers.there.save()
      people[0]["name"] = "Anna"
      people[1].mutableSetValue(forKey: "friends").add(people[2])
      try writers.here.save()
      try verify(writers)
      let names = people.map { writers.stored($0)?.names("spouse") ?? [] }
      #expect(
        names
          == (policy === NSMergePolicy.overwrite
            ? [["Bea"], ["Anna"], []] : [[], ["Cid"], ["Bea"]]),
        "\(policy.mergeType)")
      #expect(
        people[0...1].map { $0.names("spouse") } == Array(names[0...1]), "\(policy.mergeType)")
    }
  }

  @Test("A member that both contexts removed, and this one added again, is saved")
  func removedTwice() throws {
    for policy in NSMergePolicy.resolving + [NSMergePolicy.error] {
      let writers = try TwoWriters(policy: policy)
      let tag = writers.here.insert("Tag", ["label": "tall"])
      let ann = writers.here.insert("Player", ["name": "Ann", "tags": Set([tag])])
      try writers.here.save()
      ann["tags"] = Set<NSManagedObject>()
      writers.here.processPendingChanges()
      try writers.twin(ann)["tags"] = Set<NSManagedObject>()
      try writers.there.save()
      for object in [ann, tag] { writers.here.refresh(object, mergeChanges: true) }
      #expect(ann.names("tags", "label") == [])
      ann["tags"] = Set([tag])
      try writers.here.save()
      #expect(writers.stored(ann)?.names("tags", "label") == ["tall"])
      #expect(writers.stored(tag)?.names("players") == ["Ann"])
    }
  }

  @Test(
    "Merging a save removes a member from an owner that the saving context did not know")
  func removedFromUnknownOwner() throws {
    for policy in [NSMergePolicy.overwrite, NSMergePolicy.mergeByPropertyObjectTrump] {
      let writers = try TwoWriters(policy: policy)
      let teams = ["Reds", "Blues", "Greens"].map { writers.here.insert("Team", ["name": $0]) }
      let ann = writers.here.insert("Player", ["name": "Ann", "team": teams[0]])
      try writers.here.save()
      let twin = try writers.twin(ann)
      #expect(twin.value(forKeyPath: "team.name") as? String == "Reds")
      ann["team"] = teams[1]
      try writers.here.save()
      #expect(teams[1].names("players") == ["Ann"])
      let log = Recorder(.NSManagedObjectContextDidSave, of: writers.there)
      writers.there.mergePolicy = policy
      twin["team"] = try writers.twin(teams[2])
      try writers.there.save()
      for note in log.notifications { writers.here.mergeChanges(fromContextDidSave: note) }
      #expect(teams.map { $0.names("players") } == [[], [], ["Ann"]], "\(policy.mergeType)")
      try verify(writers)
    }
  }
}
