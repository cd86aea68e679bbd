import CoreData
import CoreDataTestSupport
import Testing

/// Scenarios that broke other fetched results controllers, from reports of their users: sections that are inserted and
/// deleted.
@Suite("Scenarios of sections that break other controllers", .onEveryStore)
struct SectionScenarioTests {
  private static var byAge: LiveScene.Request { LiveScene.Request(section: "age") }

  @Test("an insertion and a deletion of sections in one save are reported together")
  func insertedAndDeleted() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2), ("Cem", 3)], Self.byAge) { scene in
      scene.context.delete(try scene["Ann"])
      scene.context.insert("Player", ["name": "Dan", "age": 5])
      try scene.context.save()
      #expect(scene.report() == ["-section 0 1", "+section 2 5", "-0.0", "+2.0"])
      #expect(scene.table.sections.map(\.name) == ["2", "3", "5"])
    }
  }

  @Test("a row moves into a new section while its old section is deleted")
  func movedSection() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)], Self.byAge) { scene in
      try scene["Ann"].setValue(9, forKey: "age")
      #expect(scene.report() == ["-section 0 1", "+section 1 9", "0.0>1.0"])
      #expect(scene.table.sections.map(\.name) == ["2", "9"])
      // The new section has the old one's index, so the index path is the same.
      try scene["Ann"].setValue(7, forKey: "age")
      #expect(scene.report() == ["-section 1 9", "+section 1 7", "1.0>1.0"])
      // Moves into an existing section.
      try scene["Ann"].setValue(2, forKey: "age")
      #expect(scene.report() == ["-section 1 7", "1.0>0.0"])
      #expect(scene.names == [["Ann", "Bob"]])
    }
  }

  @Test("a save that changes the section of every row moves all rows")
  func everySection() throws {
    try LiveScene.run([("a", 1), ("b", 2), ("c", 3)], Self.byAge) { scene in
      for (name, age) in [("a", 11), ("b", 12), ("c", 13)] {
        try scene[name].setValue(age, forKey: "age")
      }
      try scene.context.save()
      #expect(
        scene.report() == [
          "-section 2 3", "-section 1 2", "-section 0 1", "+section 0 11", "+section 1 12",
          "+section 2 13", "0.0>0.0", "1.0>1.0", "2.0>2.0",
        ])
      #expect(scene.table.sections.map(\.name) == ["11", "12", "13"])
      #expect(scene.names == [["a"], ["b"], ["c"]])
    }
  }

  @Test("results can become empty, and have rows again", arguments: [nil, "age"])
  func empty(_ section: String?) throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)], LiveScene.Request(section: section)) { scene in
      let recorder = SnapshotRecorder()
      let other = LiveScene.Request(section: section).controller(in: scene.context)
      other.delegate = recorder
      try other.performFetch()
      for name in ["Ann", "Bob"] { scene.context.delete(try scene[name]) }
      let isDivided = section != nil
      #expect(
        scene.report()
          == (isDivided ? ["-section 1 2", "-section 0 1", "-1.0", "-0.0"] : ["-0.1", "-0.0"]))
      #expect(scene.controller.sections?.count == (isDivided ? 0 : 1))
      #expect(scene.controller.fetchedObjects?.isEmpty == true)
      #expect(recorder.snapshot?.sectionIdentifiers == (isDivided ? [] : [""]))
      scene.context.insert("Player", ["name": "Cem", "age": 3])
      #expect(scene.report() == (isDivided ? ["+section 0 3", "+0.0"] : ["+0.0"]))
      #expect(scene.names == [["Cem"]])
      #expect(recorder.snapshot?.sectionIdentifiers == (isDivided ? ["3"] : [""]))
      #expect(recorder.snapshot?.numberOfItems == 1)
    }
  }

  // MARK: Section names that are not stored

  private static func stackWithInitials(
    _ change: (NSEntityDescription) -> Void = { _ in }
  ) throws -> SampleStack {
    let model = SampleStack.makeModel()
    let initial = SampleStack.attribute("initial", .stringAttributeType)
    initial.isTransient = true
    model.entitiesByName["Player"]?.properties.append(initial)
    for name in ["Player", "Captain"] {
      model.entitiesByName[name]?.managedObjectClassName = "CoreDataTests.InitialPlayer"
    }
    return try SampleStack(model: model)
  }

  @Test(
    "a transient section name with a stored first sort key is valid, and updates",
    arguments: [0, 2])
  func transientName(_ batchSize: Int) throws {
    let request = LiveScene.Request(sort: ["name"], section: "initial", batchSize: batchSize)
    try LiveScene.run(
      [("Ann", 1), ("Abe", 2), ("Bob", 3)], request, in: Self.stackWithInitials()
    ) { scene in
      #expect(scene.table.sections.map(\.name) == ["A", "B"])
      #expect(scene.names == [["Abe", "Ann"], ["Bob"]])
      try scene["Abe"].setValue("Cem", forKey: "name")
      #expect(scene.report() == ["+section 2 C", "0.0>2.0"])
      try scene["Bob"].setValue("Amy", forKey: "name")
      #expect(scene.report() == ["-section 1 B", "1.0>0.0"])
      try scene.context.save()
      #expect(scene.report() == [])
      #expect(scene.table.sections.map(\.name) == ["A", "C"])
      #expect(scene.names == [["Amy", "Ann"], ["Cem"]])
    }
  }

  @Test("sections are reordered by a change", arguments: ["group", "number"])
  func reordered(_ section: String) throws {
    let request = LiveScene.Request(section: section)
    let players = [("a", 1), ("b", 2), ("c", 2), ("d", 3)]
    let stack = try Self.stackWithInitials()
    try LiveScene.run([], in: stack) { scene in
      for ((name, age), number) in zip(players, [0, 1, 1, 2]) {
        scene.context.insert("Player", ["name": name, "age": age, "number": number])
      }
      try scene.context.save()
    }
    try LiveScene.run([], request, in: stack) { scene in
      #expect(scene.names == [["a"], ["b", "c"], ["d"]])
      let names = scene.table.sections.map(\.name)
      try scene["a"].setValue(9, forKey: "age")
      // The section with fewer rows is deleted and inserted.
      #expect(
        scene.report() == ["-section 0 \(names[0])", "+section 2 \(names[0])", "0.0>2.0"])
      #expect(scene.names == [["b", "c"], ["d"], ["a"]])
      #expect(scene.table.sections.map(\.name) == [names[1], names[2], names[0]])
    }
  }

  @Test(
    "a derived section name with its source as the first sort key updates",
    .only(TestedStore.sqlKinds, "Apple: only SQLite has derived attributes"))
  func derivedName() throws {
    let model = SampleStack.makeModel()
    let upper = NSDerivedAttributeDescription()
    upper.name = "upper"
    upper.attributeType = .stringAttributeType
    upper.isOptional = true
    upper.derivationExpression = NSExpression(format: "uppercase:(name)")
    model.entitiesByName["Player"]?.properties.append(upper)
    let request = LiveScene.Request(sort: ["name"], section: "upper")
    try LiveScene.run(
      [("ann", 1), ("ann", 2), ("bob", 3)], request, in: SampleStack(model: model)
    ) { scene in
      #expect(scene.table.sections.map(\.name) == ["ANN", "BOB"])
      try scene["bob"].setValue("cem", forKey: "name")
      try scene.context.save()
      _ = scene.report()
      #expect(scene.table.sections.map(\.name) == ["ANN", "CEM"])
      #expect(scene.names == [["ann", "ann"], ["cem"]])
    }
  }

  // MARK: Rows of a section that are split

  @Test(
    "a change that separates rows of a section makes two sections of one name, and the next fetch throws"
  )
  func split() async throws {
    let stack = try SampleStack()
    let box = try stack.context.performAndWait {
      for (name, age) in [("a", 1), ("b", 1), ("c", 2)] {
        stack.context.insert("Player", ["name": name, "age": age])
      }
      try stack.context.save()
      let scene = try LiveScene(
        stack.context, LiveScene.Request(sort: ["name"], section: "age"))
      return Unchecked((scene, scene.controller.snapshots))
    }
    let snapshots = box.value.1.makeAsyncIterator()
    #expect(await snapshots.next()?.sectionIdentifiers == ["1", "2"])
    try stack.context.performAndWait {
      let scene = box.value.0
      try scene["a"].setValue("z", forKey: "name")
      #expect(!scene.report().isEmpty)
      #expect(scene.table.sections.map(\.name) == ["1", "2", "1"])
      #expect(scene.names == [["b"], ["c"], ["z"]])
    }
    // A snapshot has only one section of each name.
    let split = try #require(await snapshots.next())
    #expect(split.sectionIdentifiers == ["1", "2"] && split.numberOfItems == 3)
    try stack.context.performAndWait {
      let scene = box.value.0
      let error = #expect(throws: NSError.self) { try scene.controller.performFetch() }
      #expect(error?.localizedDescription.contains("section \"1\"") == true)
      #expect(scene.controller.sections?.map(\.name) == ["1", "2", "1"])
      try scene["z"].setValue("a", forKey: "name")
      #expect(!scene.report().isEmpty)
      #expect(scene.names == [["a", "b"], ["c"]])
      #expect(scene.table.sections.map(\.name) == ["1", "2"])
      try scene.controller.performFetch()
      #expect(scene.table.violations.isEmpty, "\(scene.table.violations)")
    }
    let together = try #require(await snapshots.next())
    #expect(together.sectionIdentifiers == ["1", "2"] && together.numberOfItems == 3)
  }
}

/// Computes section names that no store knows: the first letter of the name, and a group of the number.
final class InitialPlayer: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    switch key {
    case "initial": (super.value(forKey: "name") as? String)?.prefix(1).description
    case "group": "group \(super.value(forKey: "number") as? Int ?? 0)"
    default: super.value(forKey: key)
    }
  }
}
