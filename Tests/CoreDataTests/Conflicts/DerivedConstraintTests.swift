import CoreData
import Testing

/// Addresses that are equal if they differ only in case, because a derived attribute is unique. Only SQL stores have
/// derived attributes (Apple's page for NSDerivedAttributeDescription). Sources of the policies: see
/// `ConstraintConflictTests`.
@Suite("Conflicts of derived values")
struct DerivedConstraintTests {
  private static func writers(
    _ policy: NSMergePolicy, _ arrangement: TwoWriters.Arrangement = .contexts
  ) throws -> TwoWriters {
    let key = NSDerivedAttributeDescription()
    key.name = "key"
    key.attributeType = .stringAttributeType
    key.derivationExpression = NSExpression(format: "lowercase:(email)")
    let person = NSEntityDescription()
    person.name = "Person"
    person.properties = [
      SampleStack.attribute("email", .stringAttributeType),
      SampleStack.attribute("age", .integer16AttributeType), key,
    ]
    person.uniquenessConstraints = [["key"]]
    let model = NSManagedObjectModel()
    model.entities = [person]
    return try TwoWriters(arrangement, model: model, policy: policy)
  }

  private static func savePeople(_ writers: TwoWriters) throws -> [NSManagedObject] {
    let people = ["a", "b"].map { writers.here.insert("Person", ["email": $0, "age": 1]) }
    try writers.here.save()
    return people
  }

  private static func stored(_ writers: TwoWriters) throws -> [String] {
    try writers.reader().all("Person", sort: ["key"]).map {
      "\($0["email"] ?? "nil") \($0["key"] ?? "nil")"
    }
  }

  @Test(
    "An object whose normalized string becomes another row's replaces that row, or is restored",
    arguments: NSMergePolicy.resolving, [TwoWriters.Arrangement.contexts, .memory])
  func changedText(_ policy: NSMergePolicy, _ arrangement: TwoWriters.Arrangement) throws {
    let writers = try Self.writers(policy, arrangement)
    let people = try Self.savePeople(writers)
    people[1]["email"] = "A"
    people[1]["age"] = 2
    try writers.here.save()
    #expect(try Self.stored(writers) == (policy.prefersStore ? ["a a", "b b"] : ["A a"]))
    #expect(people[1]["email"] == (policy.prefersStore ? "b" : "A"))
    let keepsAge = policy !== NSMergePolicy.rollback
    #expect(people[1]["age"] == (keepsAge ? 2 : 1))
    #expect(!writers.here.hasChanges)
  }

  @Test(
    "A changed and a new object with the same normalized string become one row",
    arguments: NSMergePolicy.resolving)
  func changedAndNewTexts(_ policy: NSMergePolicy) throws {
    let writers = try Self.writers(policy)
    let people = try Self.savePeople(writers)
    people[1]["email"] = "x"
    let new = writers.here.insert("Person", ["email": "X", "age": 3])
    try writers.here.save()
    #expect(
      try Self.stored(writers) == (policy.prefersStore ? ["a a", "x x"] : ["a a", "X x"]))
    #expect(people[1]["age"] == (policy.prefersStore ? 1 : 3))
    #expect(new.managedObjectContext == nil && !writers.here.hasChanges)
  }

  @Test("A conflict has the values that the save computed")
  func values() throws {
    let writers = try Self.writers(NSMergePolicy.error)
    let people = try Self.savePeople(writers)
    people[1]["email"] = "A"
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.code == NSManagedObjectConstraintMergeError)
    let conflict = try #require(error.constraintConflicts.first)
    #expect(conflict.constraint == ["key"] && conflict.conflictingObjects == [people[1]])
    #expect(conflict.constraintValues["key"] as? String == "a")
    #expect(conflict.conflictingSnapshots[0]["key"] as? String == "b")
    #expect(conflict.databaseObject === people[0])
    writers.here.rollback()
    let new = ["c", "C"].map { writers.here.insert("Person", ["email": $0]) }
    let second = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(second.constraintConflicts.first?.constraintValues["key"] as? String == "c")
    #expect(Set(second.constraintConflicts.first?.conflictingObjects ?? []) == Set(new))
  }

  @Test("Objects may exchange texts, and a new object may get the old text of a changed one")
  func exchanged() throws {
    let writers = try Self.writers(NSMergePolicy.error)
    let people = try Self.savePeople(writers)
    people[0]["email"] = "B"
    people[1]["email"] = "A"
    try writers.here.save()
    #expect(try Self.stored(writers) == ["A a", "B b"])
    people[0]["email"] = "c"
    writers.here.insert("Person", ["email": "b"])
    try writers.here.save()
    #expect(try Self.stored(writers) == ["A a", "b b", "c c"])
  }

  @Test("A conflict that follows from another one is not reported")
  func consequence() throws {
    let writers = try Self.writers(NSMergePolicy.error)
    let people = try Self.savePeople(writers)
    people[0]["email"] = "B"
    writers.here.insert("Person", ["email": "A"])
    let error = try #require(#expect(throws: NSError.self) { try writers.here.save() })
    #expect(error.constraintConflicts.map(\.conflictingObjects) == [[people[0]]])
  }
}
