import CoreData
import Testing

/// Sources: see `ConstraintConflictTests`, and public merge policies that keep the stored values of attributes that a
/// new object does not set (quigs.blog, LohnesskoeChudo/w2p).
@Suite("Custom constraint policies")
struct CustomConstraintPolicyTests {
  @Test("A custom policy changes the new object, calls super, and then sees the merged row")
  func subclass() throws {
    /// Copies from the row the values that the new object lacks, as public merge policies do.
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

  @Test("A custom policy may resolve a conflict itself, and may throw")
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

  @Test("A conflict that a program creates has the values of its first object")
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

  @Test("Resolving a conflict of an object with itself does not change the object")
  func withItself() throws {
    let context = NSManagedObjectContext.confined(
      to: try SampleStack(model: ConstraintConflictTests.model()).coordinator)
    let ann = context.insert("Player", ["name": "Ann"])
    let conflict = NSConstraintConflict(
      constraint: ["name"], database: ann, databaseSnapshot: nil, conflicting: [ann],
      conflictingSnapshots: [])
    for policy in [
      NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
    ] {
      try policy.resolve(constraintConflicts: [conflict])
      #expect(ann.isInserted && !ann.isDeleted && ann["name"] == "Ann", "\(policy.mergeType)")
    }
  }
}
