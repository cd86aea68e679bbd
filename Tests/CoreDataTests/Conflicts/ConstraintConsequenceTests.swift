import CoreData
import Testing

/// A row that a conflict prevents from being written still has its old unique values in the store. A new object with
/// these values conflicts only if the row keeps them.
@Suite("Conflicts that follow from other conflicts")
struct ConstraintConsequenceTests {
  /// Saves Ann and Bob. `changed` then renames Ann to Bob, and inserts a new Ann.
  private func writers(_ policy: NSMergePolicy) throws -> TwoWriters {
    let writers = try ConstraintConflictTests.writers(policy)
    writers.there.insert("Player", ["name": "Ann", "age": 1])
    writers.there.insert("Player", ["name": "Bob", "age": 2])
    try writers.there.save()
    return writers
  }

  private func changed(_ writers: TwoWriters) throws -> NSManagedObject {
    let ann = try #require(try writers.here.all("Player", "name == 'Ann'").first)
    ann["name"] = "Bob"
    writers.here.insert("Player", ["name": "Ann", "age": 3])
    return ann
  }

  private func stored(_ writers: TwoWriters) throws -> [String] {
    try writers.reader().all("Player", sort: ["name"]).map { player in
      "\(player["name"] ?? "nil") \(player["age"] ?? 0)"
    }
  }

  @Test("The error reports only the original conflict")
  func reported() throws {
    let writers = try writers(NSMergePolicy.error)
    let ann = try changed(writers)
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.constraintConflicts.map(\.conflictingObjects) == [[ann]])
    #expect(error.constraintConflicts.first?.constraintValues["name"] as? String == "Bob")
  }

  @Test(
    "If the store wins, the row keeps its value, and the new object is discarded in favor of the row",
    arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
  func storeWins(_ policy: NSMergePolicy) throws {
    let writers = try writers(policy)
    _ = try changed(writers)
    try writers.here.save()
    #expect(try stored(writers) == ["Ann 1", "Bob 2"])
  }

  @Test(
    "If the object wins, the row gets the new value, and the new object gets the old one",
    arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite])
  func objectWins(_ policy: NSMergePolicy) throws {
    let writers = try writers(policy)
    _ = try changed(writers)
    try writers.here.save()
    #expect(try stored(writers) == ["Ann 3", "Bob 1"])
  }
}
