import CoreData
import Testing

/// Sources: Apple's "NSMergeConflict" and "NSMergePolicy" pages (the two levels of a conflict, the contents of
/// snapshots), NSMergePolicy.h (version 0, the error's object IDs), logs in public issues
/// (simperium-ios #387: the description; version numbers begin at 1).
@Suite("Merge conflicts")
struct MergeConflictTests {
  /// Saves a player, changes it in both contexts, and returns the error of the second save.
  private func conflict(
    _ writers: TwoWriters, there change: (NSManagedObject) throws -> Void
  ) throws -> (player: NSManagedObject, error: NSError) {
    let team = writers.here.insert("Team", ["name": "Reds"])
    let player = writers.here.insert("Player", ["name": "Ann", "age": 1, "team": team])
    try writers.here.save()
    _ = try writers.there.all("Player").map { $0.value(forKey: "name") }
    try change(try writers.twin(player))
    try writers.there.save()
    player["name"] = "Bea"
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    return (player, error)
  }

  @Test("A conflict between contexts of one coordinator has the object's and the cached values")
  func contexts() throws {
    let writers = try TwoWriters(.contexts)
    let (player, error) = try conflict(writers) {
      $0["age"] = 2
      $0["team"] = nil as NSManagedObject?
    }
    #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError)
    let conflict = try #require(error.conflicts.first)
    #expect(error.conflicts.count == 1 && conflict.sourceObject === player)
    #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
    let team = try #require(player.value(forKey: "team") as? NSManagedObject)
    let old = try #require(conflict.objectSnapshot)
    // The snapshot has the values as they were read, without later changes.
    #expect(old["name"] as? String == "Ann" && old["age"] as? Int == 1)
    #expect(old["team"] as? NSManagedObjectID == team.objectID && old["score"] is NSNull)
    #expect(
      Set(old.keys) == ["name", "age", "score", "isActive", "number", "team", "locker"])
    let new = try #require(conflict.cachedSnapshot)
    #expect(new["name"] as? String == "Ann" && new["age"] as? Int == 2 && new["team"] is NSNull)
    #expect(conflict.persistedSnapshot == nil)
    let updated = error.userInfo[NSUpdatedObjectsKey] as? [NSManagedObjectID]
    #expect(updated == [player.objectID] && error.userInfo[NSInsertedObjectsKey] == nil)
    let uri = player.objectID.uriRepresentation().absoluteString
    #expect(
      error.localizedDescription == "Could not merge changes. (Player \(uri): version 1 → 2)")
    #expect(
      conflict.description.hasPrefix(
        "NSMergeConflict for Player with objectID '\(uri)' with oldVersion = 1 and newVersion = 2"
          + " and old object snapshot = { age = 1; isActive = nil;"))
    #expect(conflict.description.contains(" and new cached row = { age = 2; "))
  }

  @Test("A conflict between coordinators has the cached and the persisted values")
  func coordinators() throws {
    let writers = try TwoWriters(.coordinators)
    let (player, error) = try conflict(writers) { $0["age"] = 2 }
    #expect(error.code == NSManagedObjectMergeError)
    let conflict = try #require(error.conflicts.first)
    #expect(conflict.sourceObject === player && conflict.objectSnapshot == nil)
    #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
    #expect(conflict.cachedSnapshot?["age"] as? Int == 1)
    #expect(conflict.persistedSnapshot?["age"] as? Int == 2)
    #expect(conflict.persistedSnapshot?["score"] is NSNull)
    #expect(conflict.description.contains(" and old cached row = {"))
    #expect(conflict.description.contains(" and new database row = {"))
  }

  @Test(
    "A changed object whose row was deleted is a conflict with version 0, without values of the store",
    arguments: TwoWriters.Arrangement.allCases)
  func goneRow(_ arrangement: TwoWriters.Arrangement) throws {
    let writers = try TwoWriters(arrangement)
    let (player, error) = try conflict(writers) { writers.there.delete($0) }
    #expect(error.code == NSManagedObjectMergeError)
    let conflict = try #require(error.conflicts.first)
    #expect(conflict.newVersionNumber == 0 && conflict.oldVersionNumber == 1)
    if arrangement == .contexts {
      #expect(conflict.objectSnapshot?["name"] as? String == "Ann")
      #expect(conflict.cachedSnapshot == nil && conflict.persistedSnapshot == nil)
      #expect(conflict.description.hasSuffix("and new cached row = (null)"))
    } else {
      #expect(conflict.cachedSnapshot?["name"] as? String == "Ann")
      #expect(conflict.objectSnapshot == nil && conflict.persistedSnapshot == nil)
    }
    #expect(player.isUpdated && player["name"] == "Bea")
  }

  @Test("A changed fault whose row was deleted is also a conflict, not a missing row")
  func goneFault() throws {
    let writers = try TwoWriters()
    let player = writers.here.insert("Player", ["name": "Ann"])
    let tag = writers.here.insert("Tag", ["label": "tall"])
    try writers.here.save()
    let id = tag.objectID
    writers.here.refresh(tag, mergeChanges: false)
    writers.there.delete(try writers.twin(tag))
    try writers.there.save()
    // The tag changes through its inverse, which does not fire the fault.
    player.mutableSetValue(forKey: "tags").add(writers.here.object(with: id))
    #expect(tag.isFault && tag.isUpdated)
    let error = #expect(throws: NSError.self) { try writers.here.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(error?.conflicts.first?.newVersionNumber == 0)
    #expect(error?.conflicts.first?.sourceObject === tag)
    writers.here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try writers.here.save()
    #expect(!writers.here.hasChanges && tag.managedObjectContext == nil)
    #expect(player.value(forKey: "tags") as? Set<NSManagedObject> == [])
    #expect(writers.stored(player)?.value(forKey: "tags") as? Set<NSManagedObject> == [])
  }

  @Test(
    "An object that an undo inserted again was not read from the row that another save inserted",
    arguments: TwoWriters.Arrangement.allCases)
  func returnedRow(_ arrangement: TwoWriters.Arrangement) throws {
    let writers = try TwoWriters(arrangement)
    let (here, there) = (writers.here, writers.there)
    let player = here.insert("Player", ["name": "Ann"])
    try here.save()
    there.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try writers.twin(player)["name"] = "there"
    here.undoManager = UndoManager()
    here.delete(player)
    try here.save()
    here.undo()
    #expect(player.isInserted)
    // The policy prefers the other context's change, and inserts the deleted row again.
    try there.save()
    let error = try #require(#expect(throws: NSError.self) { try here.save() })
    let conflict = try #require(error.conflicts.first)
    #expect(error.conflicts.count == 1 && conflict.sourceObject === player)
    #expect(conflict.oldVersionNumber == 0 && conflict.newVersionNumber > 0)
    #expect(conflict.objectSnapshot == nil && conflict.cachedSnapshot == nil)
    #expect(conflict.persistedSnapshot?["name"] as? String == "there")
  }

  @Test("After a conflict nothing is written, all changes stay pending, and saves keep failing")
  func pending() throws {
    let writers = try TwoWriters()
    let (player, _) = try conflict(writers) { $0["age"] = 2 }
    let other = writers.here.insert("Player", ["name": "new"])
    #expect(throws: NSError.self) { try writers.here.save() }
    #expect(player.isUpdated && player["name"] == "Bea" && player["age"] == 1)
    #expect(other.isInserted && other.objectID.isTemporaryID)
    #expect(writers.here.updatedObjects.contains(player))
    #expect(writers.here.insertedObjects == [other])
    #expect(try writers.reader().all("Player").count == 1)
    #expect(writers.stored(player)?["name"] == "Ann")
    // A program can resolve the conflicts itself.
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    try NSMergePolicy.mergeByPropertyObjectTrump.resolve(
      optimisticLockingConflicts: error.conflicts)
    try writers.here.save()
    #expect(writers.stored(player)?["name"] == "Bea" && writers.stored(player)?["age"] == 2)
    #expect(!writers.here.hasChanges)
  }

  @Test("The conflicts of a save are in one list")
  func several() throws {
    let writers = try TwoWriters()
    let players = (0..<5).map { writers.here.insert("Player", ["number": $0]) }
    try writers.here.save()
    for player in players.dropFirst(2) { try writers.twin(player)["name"] = "there" }
    writers.there.delete(try writers.twin(players[4]))
    try writers.there.save()
    for player in players { player["name"] = "here" }
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(Set(error.conflicts.map { $0.sourceObject }) == Set(players.dropFirst(2)))
    #expect(error.conflicts.map { $0.newVersionNumber }.sorted() == [0, 2, 2])
    #expect(try writers.reader().all("Player", "name == 'here'").isEmpty)
  }

  @Test("A conflict that a program creates has no object snapshot")
  func described() throws {
    let context = NSManagedObjectContext.confined(to: try SampleStack().coordinator)
    let player = context.insert("Player")
    let conflict = NSMergeConflict(
      source: player, newVersion: 3, oldVersion: 2, cachedSnapshot: ["age": 1],
      persistedSnapshot: ["age": 2])
    #expect(conflict.sourceObject === player && conflict.objectSnapshot == nil)
    #expect(conflict.newVersionNumber == 3 && conflict.oldVersionNumber == 2)
    #expect(conflict.cachedSnapshot?["age"] as? Int == 1)
    #expect(conflict.persistedSnapshot?["age"] as? Int == 2)
  }

  @Test("A locked object of a save request is a conflict if another context changed it")
  func locked() throws {
    let writers = try TwoWriters(policy: .error)
    let player = writers.here.insert("Player", ["name": "Ann"])
    let other = writers.here.insert("Player", ["name": "Bob"])
    try writers.here.save()
    try writers.twin(player)["age"] = 2
    try writers.there.save()
    other["name"] = "Bo"
    let coordinator = try #require(writers.here.persistentStoreCoordinator)
    let request = NSSaveChangesRequest(
      inserted: nil, updated: nil, deleted: nil, locked: [player])
    let error = #expect(throws: NSError.self) {
      try coordinator.execute(request, with: writers.here)
    }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(error?.conflicts.first?.sourceObject === player)
    #expect(writers.stored(other)?["name"] == "Bob")
  }

  @Test("An object without a version is a conflict for detectConflicts if its row was deleted")
  func comparedWithoutVersion() throws {
    let writers = try TwoWriters()
    for name in ["Ann", "Bob"] { writers.here.insert("Player", ["name": name]) }
    try writers.here.save()
    let url = try #require(writers.here.persistentStoreCoordinator?.persistentStores.first?.url)
    try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_OPT = NULL")
    writers.here.reset()
    let players = try writers.here.all("Player", sort: ["name"])
    #expect(players.map { $0["name"] } == ["Ann", "Bob"])
    writers.here.detectConflicts(for: players[0])
    players[1]["age"] = 1
    try writers.here.save()
    writers.there.delete(try writers.twin(players[0]))
    try writers.there.save()
    writers.here.detectConflicts(for: players[0])
    players[1]["age"] = 2
    let error = #expect(throws: NSError.self) { try writers.here.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(error?.conflicts.map(\.sourceObject) == [players[0]])
  }

  @Test("An object passed to detectConflicts is a conflict if it was changed or deleted")
  func compared() throws {
    for policy in [NSMergePolicy.error] + NSMergePolicy.resolving {
      for isDeleted in [false, true] {
        let writers = try TwoWriters(policy: policy)
        let player = writers.here.insert("Player", ["name": "Ann", "age": 1])
        let other = writers.here.insert("Player", ["name": "Bob"])
        try writers.here.save()
        let twin = try writers.twin(player)
        twin["age"] = 2
        if isDeleted { writers.there.delete(twin) }
        try writers.there.save()
        writers.here.detectConflicts(for: player)
        other["name"] = "Bo"
        if policy === NSMergePolicy.error {
          let error = #expect(throws: NSError.self) { try writers.here.save() }
          #expect(error?.code == NSManagedObjectMergeError)
          #expect(error?.conflicts.first?.newVersionNumber == (isDeleted ? 0 : 2))
          #expect(player["age"] == 1 && writers.stored(other)?["name"] == "Bob")
          continue
        }
        try writers.here.save()
        #expect(writers.stored(other)?["name"] == "Bo")
        // This context did not change the object, so no value of it can win.
        if isDeleted {
          #expect(player.managedObjectContext == nil && writers.stored(player) == nil)
        } else {
          #expect(player["age"] == 2 && writers.stored(player)?["age"] == 2)
        }
        #expect(!writers.here.hasChanges)
      }
    }
  }
}
