import CoreData
import Testing

/// Sources: Apple's "NSMergePolicy" page and NSMergePolicy.h (types, order of the methods, "call
/// super"), quigs.blog "How to write a custom CoreData NSMergePolicy" (a policy that resolves
/// nothing), objc.io's MoodyMergePolicy (changing objects after super).
@Suite("Merge policies")
struct MergePolicyTests {
  /// Records its calls. Can change objects, throw an error, or leave conflicts unresolved.
  private final class RecordingPolicy: NSMergePolicy, @unchecked Sendable {
    var calls: [String] = []
    var afterwards: ([NSMergeConflict]) -> Void = { _ in }
    var callsSuper = true
    var error: (any Error)?

    override func resolve(mergeConflicts list: [Any]) throws {
      calls.append("all \(list.count)")
      try super.resolve(mergeConflicts: list)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
      calls.append("locking \(list.count)")
      if let error { throw error }
      if callsSuper { try super.resolve(optimisticLockingConflicts: list) }
      afterwards(list)
    }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
      calls.append("constraint \(list.count)")
      if let error { throw error }
      if callsSuper { try super.resolve(constraintConflicts: list) }
    }
  }

  private struct Refusal: Error, Equatable { let reason: String }

  @Test("Each of the five policies has its type, and the older constants are the same policies")
  func types() {
    #expect(NSMergePolicy.error.mergeType == .errorMergePolicyType)
    #expect(
      NSMergePolicy.mergeByPropertyStoreTrump.mergeType == .mergeByPropertyStoreTrumpMergePolicyType
    )
    #expect(
      NSMergePolicy.mergeByPropertyObjectTrump.mergeType
        == .mergeByPropertyObjectTrumpMergePolicyType)
    #expect(NSMergePolicy.overwrite.mergeType == .overwriteMergePolicyType)
    #expect(NSMergePolicy.rollback.mergeType == .rollbackMergePolicyType)
    let numbers = (0..<5).map { NSMergePolicyType(rawValue: $0) }
    #expect(
      numbers == [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
        .rollbackMergePolicyType,
      ])
    let constants = [
      NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy,
      NSMergeByPropertyObjectTrumpMergePolicy, NSOverwriteMergePolicy, NSRollbackMergePolicy,
    ].compactMap { $0 as? NSMergePolicy }
    #expect(constants == [NSMergePolicy.error] + NSMergePolicy.resolving)
    let context = NSManagedObjectContext(.privateQueue)
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    #expect(
      (context.mergePolicy as? NSMergePolicy)?.mergeType
        == .mergeByPropertyObjectTrumpMergePolicyType)
  }

  /// Returns a player that both contexts changed.
  private func conflicting(_ writers: TwoWriters) throws -> NSManagedObject {
    let player = writers.here.insert("Player", ["name": "Ann", "age": 1])
    try writers.here.save()
    let twin = try writers.twin(player)
    twin["name"] = "Bea"
    twin["age"] = 2
    try writers.there.save()
    player["name"] = "Cyd"
    return player
  }

  @Test("Changes that a subclass makes after calling super are saved")
  func subclass() throws {
    let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let writers = try TwoWriters(policy: policy)
    let player = try conflicting(writers)
    policy.afterwards = { list in
      let object = list[0].sourceObject
      #expect(object["name"] == "Cyd" && object["age"] == 2)
      #expect(list[0].cachedSnapshot?["name"] as? String == "Bea")
      object["age"] = 77
      object["score"] = 1.5
    }
    try writers.here.save()
    #expect(policy.calls == ["all 1", "locking 1"])
    #expect(player["name"] == "Cyd" && player["age"] == 77 && player["score"] == 1.5)
    let stored = try #require(writers.stored(player))
    #expect(stored["name"] == "Cyd" && stored["age"] == 77 && stored["score"] == 1.5)
    #expect(!writers.here.hasChanges)
  }

  @Test("A subclass chooses the policy for each object")
  func delegation() throws {
    final class ByName: NSMergePolicy, @unchecked Sendable {
      override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        let mine = list.filter { $0.sourceObject.entity.name == "Player" }
        let others = list.filter { $0.sourceObject.entity.name != "Player" }
        try NSMergePolicy.mergeByPropertyStoreTrump.resolve(optimisticLockingConflicts: mine)
        try super.resolve(optimisticLockingConflicts: others)
      }
    }
    let writers = try TwoWriters(policy: ByName(merge: .mergeByPropertyObjectTrumpMergePolicyType))
    let objects = ["Player", "Team"].map { writers.here.insert($0, ["name": "first"]) }
    try writers.here.save()
    for object in objects { try writers.twin(object)["name"] = "there" }
    try writers.there.save()
    for object in objects { object["name"] = "here" }
    try writers.here.save()
    #expect(objects.map { $0["name"] } == ["there", "here"])
    #expect(objects.map { writers.stored($0)?["name"] } == ["there", "here"])
  }

  @Test("A save throws the error of its policy, and all changes stay pending")
  func thrown() throws {
    let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    let writers = try TwoWriters(policy: policy)
    let player = try conflicting(writers)
    policy.error = Refusal(reason: "ask the user")
    #expect(throws: Refusal(reason: "ask the user")) { try writers.here.save() }
    #expect(player.isUpdated && player["name"] == "Cyd" && player["age"] == 1)
    #expect(writers.stored(player)?["name"] == "Bea")
    policy.error = nil
    try writers.here.save()
    #expect(writers.stored(player)?["name"] == "Cyd")
  }

  @Test("A policy that does not resolve the conflicts fails the save with a specific error")
  func unsettled() throws {
    let policy = RecordingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    policy.callsSuper = false
    let writers = try TwoWriters(policy: policy)
    let player = try conflicting(writers)
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == NSPersistentStoreSaveConflictsError && error.code == 134050)
    #expect(error.conflicts.map { $0.sourceObject } == [player])
    #expect(error.localizedDescription.hasPrefix("The merge policy did not resolve all conflicts."))
    #expect(player.isUpdated && player["name"] == "Cyd")
    #expect(writers.stored(player)?["name"] == "Bea")
  }

  @Test("Optimistic locking conflicts are resolved before constraint conflicts")
  func order() throws {
    let context = NSManagedObjectContext.confined(to: try SampleStack().coordinator)
    let player = context.insert("Player")
    let policy = RecordingPolicy(merge: .errorMergePolicyType)
    policy.callsSuper = false
    let list: [Any] = [
      NSConstraintConflict(
        constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: [player],
        conflictingSnapshots: [NSNull()]),
      NSMergeConflict(
        source: player, newVersion: 1, oldVersion: 0, cachedSnapshot: nil, persistedSnapshot: nil),
    ]
    try policy.resolve(mergeConflicts: list)
    #expect(policy.calls == ["all 2", "locking 1", "constraint 1"])
    policy.calls = []
    try policy.resolve(mergeConflicts: [])
    #expect(policy.calls == ["all 0"])
  }

  @Test("A context whose merge policy is another kind of value uses the error policy")
  func none() throws {
    let writers = try TwoWriters()
    let player = try conflicting(writers)
    writers.here.mergePolicy = "overwrite"
    let error = #expect(throws: NSError.self) { try writers.here.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(player.isUpdated)
  }

  /// Records the snapshot events that it receives.
  final class SettledPlayer: NSManagedObject {
    nonisolated(unsafe) static var events: [UInt] = []

    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
      Self.events.append(flags.rawValue)
      #expect(value(forKey: "age") as? Int == 2)
    }
  }

  @Test("An object is awakened once after its conflict is resolved, with the merge policy event")
  func awake() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.managedObjectClassName = "SettledPlayer"
    ManagedObjectClasses.register([SettledPlayer.self])
    let writers = try TwoWriters(model: model, policy: .mergeByPropertyObjectTrump)
    let player = try conflicting(writers)
    SettledPlayer.events = []
    try writers.here.save()
    #expect(SettledPlayer.events == [64])
    #expect(NSSnapshotEventType.mergePolicy.rawValue == 64)
    #expect(player["name"] == "Cyd")
  }

  @Test(
    "An object whose conflict was resolved is posted as refreshed before the didSave notification")
  func notifications() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyStoreTrump)
    let player = try conflicting(writers)
    writers.here.processPendingChanges()
    let log = NotificationLog([writers.here], names: ["here"])
    try writers.here.save()
    #expect(log.lines == ["here will save", "here changed refreshed 1", "here saved updated 1"])
    #expect(player["name"] == "Bea")
  }

  @Test("The resolution of a conflict cannot be undone")
  func undo() throws {
    let writers = try TwoWriters(policy: .mergeByPropertyStoreTrump)
    let player = try conflicting(writers)
    writers.here.undoManager = UndoManager()
    player["score"] = 3.0
    try writers.here.save()
    #expect(player["name"] == "Bea" && player["score"] == 3.0)
    writers.here.undo()
    #expect(player["name"] == "Bea" && player["age"] == 2)
  }
}
