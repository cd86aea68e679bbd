import CoreData
import Testing

/// Sources: as of the tests of constraint conflicts; public policies that keep by hand the values that
/// a new object lacks (quigs.blog, LohnesskoeChudo/w2p).
@Suite("Constraint policies of the program's")
struct OwnConstraintPolicyTests {
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
}
