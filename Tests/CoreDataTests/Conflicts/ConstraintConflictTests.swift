import CoreData
import Testing

/// Sources: NSMergePolicy.h (the contents of a conflict, by level), WWDC 2015 session 220 and Apple's "Configuring
/// Entities" (one row with the new values), objc.io's tests of MoodyMergePolicy (the duplicate is discarded,
/// relationships refer to the existing row), AltStore's MergePolicy (a row whose object is changed in the same save
/// conflicts as an object of the save).
@Suite("Constraint conflicts")
struct ConstraintConflictTests {
  /// Returns a model in which players are unique by name, and by number and score together; captains also by date.
  static func model() -> NSManagedObjectModel {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.uniquenessConstraints = [["name"], ["number", "score"]]
    model.entitiesByName["Captain"]?.uniquenessConstraints = [["since"]]
    model.entitiesByName["Team"]?.uniquenessConstraints = [["name"]]
    return model
  }

  static func writers(
    _ policy: NSMergePolicy = NSMergePolicy.error, _ kind: TestedStore = .sqlite,
    change: (NSManagedObjectModel) -> Void = { _ in }
  ) throws -> TwoWriters {
    let model = model()
    change(model)
    let writers = try TwoWriters(.contexts, kind, model: model, policy: policy)
    writers.there.mergePolicy = policy
    return writers
  }

  static func names(_ writers: TwoWriters, _ entity: String = "Player") throws -> [String] {
    try writers.reader().all(entity, sort: ["name"]).map { $0["name"] ?? "nil" }
  }

  // MARK: Contents of a conflict

  @Test("A conflict with a row has the row's object and values, and nothing is saved")
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
    // The new objects stay pending.
    #expect(new.isInserted && other.isInserted && other.objectID.isTemporaryID)
    #expect(try Self.names(writers) == ["Ann"])
    new["name"] = "Cyd"
    try writers.here.save()
    #expect(try Self.names(writers) == ["Ann", "Bob", "Cyd"])
  }

  @Test("Objects of one save with the same values are one conflict, without a database object")
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
    #expect(try Self.names(writers).isEmpty)
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
    // A registered object without changes is not part of the save.
    writers.here.refresh(ann, mergeChanges: false)
    _ = ann.value(forKey: "age")
    let second = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(second.constraintConflicts.first?.databaseObject === ann)
  }

  @Test("An object that violates several constraints has a conflict for each")
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
    #expect(try Self.names(writers) == ["Ann"])
  }

  // MARK: Conditions of a conflict

  @Test("Missing values never conflict")
  func missingValues() throws {
    let writers = try Self.writers()
    for _ in 0..<3 { writers.here.insert("Player", ["number": 1]) }
    try writers.here.save()
    #expect(try Self.names(writers) == ["nil", "nil", "nil"])
  }

  @Test("Two objects may swap unique values in one save, and three may rotate them")
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
    #expect(Set(players.map { $0.objectID.uriRepresentation().lastPathComponent }).count == 3)
    // This save would conflict if the objects' versions differed from those of their rows.
    players[0]["age"] = 1
    try writers.here.save()
    #expect(!writers.here.hasChanges)
  }

  @Test("A save may reuse a unique value whose object it deletes or changes")
  func reusedValues() throws {
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
    #expect(try Self.names(writers) == ["Ann", "Bob", "Cyd"])
    #expect(writers.stored(new)?["age"] == 2 && writers.stored(second)?["name"] == "Bob")
  }

  @Test("Constraints include the objects of subentities, and subentities have their own")
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
    #expect(try Self.names(writers) == ["Ann", "Cyd"])
  }
}
