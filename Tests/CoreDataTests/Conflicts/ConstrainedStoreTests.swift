import CoreData
import Testing

@Suite("Constraints in stores")
struct ConstrainedStoreTests {
  @Test("Stores of every kind enforce constraints")
  func everyStore() throws {
    for policy in [NSMergePolicy.error] + NSMergePolicy.resolving {
      try onEveryStore { kind, _ in
        let writers = try ConstraintConflictTests.writers(policy, kind)
        let ann = writers.there.insert("Player", ["name": "Ann", "age": 30])
        try writers.there.save()
        writers.here.insert("Player", ["name": "Ann", "age": 31])
        let text = "\(kind) \(policy.mergeType)"
        if policy === NSMergePolicy.error {
          let error = #expect(throws: NSError.self) { try writers.here.save() }
          #expect(error?.code == NSManagedObjectConstraintMergeError, "\(text)")
          #expect(error?.constraintConflicts.count == 1, "\(text)")
          return
        }
        try writers.here.save()
        let isNew =
          policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
        #expect(try writers.reader().all("Player").count == 1, "\(text)")
        #expect(writers.stored(ann)?["age"] == (isNew ? 31 : 30), "\(text)")
      }
    }
  }

  @Test("Changing one value of a constraint can conflict, even if another program wrote the rows")
  func rowWithoutVersion() throws {
    let folder = try TemporaryFolder()
    let url = TestedStore.sqlite.url(in: folder)
    let (_, context) = try TestedStore.sqlite.open(ConstraintConflictTests.model(), at: url)
    for version in ["NULL", "0"] {
      try context.performAndWait {
        try context.all("Player").forEach(context.delete)
        for score in 1...2 { context.insert("Player", ["number": 1, "score": Double(score)]) }
        try context.save()
        try PlainDatabase(url).execute("UPDATE ZPLAYER SET Z_OPT = \(version)")
        context.reset()
        let player = try #require(try context.all("Player", sort: ["score"]).first)
        player["score"] = 2.0
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSManagedObjectConstraintMergeError)
        #expect(error?.constraintConflicts.first?.constraint == ["number", "score"])
        context.rollback()
      }
    }
  }

  @Test("A file that was written without a constraint and violates it can be read")
  func fileThatBreaksAConstraint() throws {
    let folder = try TemporaryFolder()
    let url = TestedStore.xml.url(in: folder)
    let plain = NSManagedObjectContext.confined(
      to: try TestedStore.xml.open(SampleStack.makeModel(), at: url).context
        .persistentStoreCoordinator)
    for age in 1...2 { plain.insert("Player", ["name": "Ann", "age": age]) }
    try plain.save()
    let context = NSManagedObjectContext.confined(
      to: try TestedStore.xml.open(
        ConstraintConflictTests.model(), at: url,
        options: [NSIgnorePersistentStoreVersioningOption: true]
      ).context.persistentStoreCoordinator)
    #expect(try context.all("Player", sort: ["age"]).map { $0["age"] } == [1, 2])
    context.insert("Player", ["name": "Bob"])
    try context.save()
    #expect(try context.all("Player").count == 3)
  }
}
