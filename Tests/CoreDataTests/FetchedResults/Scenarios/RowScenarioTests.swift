import CoreData
import CoreDataTestSupport
import Testing

/// Scenarios that broke other fetched results controllers, from reports of their users: rows that change, are
/// inserted, deleted and moved.
@Suite("Scenarios of rows that break other controllers", .onEveryStore)
struct RowScenarioTests {
  @Test("a move and updates of the rows next to it are reported together")
  func neighbors() throws {
    try LiveScene.run([("p0", 1), ("p1", 2), ("p2", 3), ("p3", 4)]) { scene in
      let (first, second, third) = (try scene["p0"], try scene["p1"], try scene["p2"])
      second.setValue(9, forKey: "age")
      first.setValue("q0", forKey: "name")
      third.setValue("q2", forKey: "name")
      #expect(scene.report() == ["0.1>0.3", "~0.0=0.0", "~0.2=0.1"])
      #expect(scene.names == [["q0", "q2", "p3", "p1"]])
    }
  }

  @Test(
    "a changed sort key that does not move the row is an update, not a move of no distance")
  func zeroDistance() throws {
    try LiveScene.run([("a", 1), ("b", 5), ("c", 9)]) { scene in
      try scene["b"].setValue(6, forKey: "age")
      #expect(scene.report() == ["~0.1=0.1"])
    }
  }

  @Test("a row that passes another row is a move, even if its index does not change")
  func sameNumber() throws {
    try LiveScene.run([("a", 1), ("b", 2), ("c", 3)]) { scene in
      scene.context.delete(try scene["a"])
      try scene["b"].setValue(4, forKey: "age")
      // b was the second of three rows, and is now the second of two.
      #expect(scene.report() == ["-0.0", "0.1>0.1"])
      #expect(scene.names == [["c", "b"]])
    }
  }

  @Test("a deletion and an insertion at the same index path are both reported")
  func replacement() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      scene.context.delete(try scene["Ann"])
      scene.context.insert("Player", ["name": "Zoe", "age": 1])
      #expect(scene.report() == ["-0.0", "+0.0"])
      #expect(scene.names == [["Zoe", "Bob"]])
    }
  }

  @Test("two objects that swap positions are reported as one move and one update")
  func swap() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      let (ann, bob) = (try scene["Ann"], try scene["Bob"])
      ann.setValue(2, forKey: "age")
      bob.setValue(1, forKey: "age")
      let report = scene.report()
      #expect(report == ["0.0>0.1", "~0.1=0.0"] || report == ["0.1>0.0", "~0.0=0.1"], "\(report)")
      #expect(scene.names == [["Bob", "Ann"]])
    }
  }

  @Test("setting a sort key to its current value is reported as an update")
  func sameValue() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)]) { scene in
      try scene["Ann"].setValue(1, forKey: "age")
      #expect(scene.report() == ["~0.0=0.0"])
    }
  }

  @Test("a change to an attribute behind a relationship updates the results of its predicate")
  func predicateOfRelationship() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2), ("Cem", 3)]) { other in
      let red = other.context.insert("Team", ["name": "Red"])
      let tag = other.context.insert("Tag", ["label": "x"])
      for name in ["Ann", "Cem"] { try other[name].setValue(red, forKey: "team") }
      try other["Bob"].setValue(Set([tag]), forKey: "tags")
      try other.context.save()
      _ = other.report()
      let scene = try LiveScene(
        other.context, LiveScene.Request(predicate: NSPredicate(format: "team.name == \"Red\"")))
      #expect(scene.names == [["Ann", "Cem"]])
      red.setValue("Blue", forKey: "name")
      #expect(scene.report() == ["-0.1", "-0.0"])
      red.setValue("Red", forKey: "name")
      #expect(scene.report() == ["+0.0", "+0.1"])
      let tagged = try LiveScene(
        other.context, LiveScene.Request(predicate: NSPredicate(format: "ANY tags.label == \"x\"")))
      #expect(tagged.names == [["Bob"]])
      tag.setValue("y", forKey: "label")
      #expect(tagged.report() == ["-0.0"])
      tag.setValue("x", forKey: "label")
      #expect(tagged.report() == ["+0.0"])
      try other["Ann"].setValue(Set([tag]), forKey: "tags")
      #expect(tagged.report() == ["+0.0"])
      #expect(scene.table.violations == [] && tagged.table.violations == [])
    }
  }

  @Test("duplicate sort keys are ordered by ID, before and after a save")
  func duplicateKeys() throws {
    try LiveScene.run([("a", 1), ("b", 1)]) { scene in
      scene.context.insert("Player", ["name": "c", "age": 1])
      scene.context.insert("Player", ["name": "d", "age": 1])
      #expect(scene.report() == ["+0.2", "+0.3"])
      #expect(scene.names == [["a", "b", "c", "d"]])
      try scene.context.save()
      #expect(scene.report() == [])
      #expect(scene.names == [["a", "b", "c", "d"]])
      let last = scene.controller.object(at: IndexPath(row: 3, section: 0))
      #expect(scene.controller.indexPath(forObject: last) == IndexPath(row: 3, section: 0))
      #expect(last.objectID.isTemporaryID == false)
    }
  }

  @Test(
    "duplicate sort keys are ordered by ID, even if rows were inserted in another order",
    .only(TestedStore.allCases, "custom stores assign their own reference objects"),
    arguments: [false, true])
  func reversedIDs(_ isReported: Bool) throws {
    try LiveScene.run([("a", 1), ("b", 1)]) { scene in
      let context = scene.context
      // Before its first report, the controller does not know whether the table implements the delegate method for
      // snapshots, so it would obtain permanent IDs for new rows immediately.
      try scene["a"].setValue(1, forKey: "number")
      #expect(scene.report() == ["~0.0=0.0"])
      let new = ["c", "d", "e"].map { context.insert("Player", ["name": $0, "age": 1]) }
      if isReported {
        #expect(scene.report() == ["+0.2", "+0.3", "+0.4"])
        // With temporary IDs, the rows have the order of their insertion.
        #expect(scene.names == [["a", "b", "c", "d", "e"]])
      }
      for player in new.reversed() { try context.obtainPermanentIDs(for: [player]) }
      _ = scene.report()
      #expect(scene.names == [["a", "b", "e", "d", "c"]])
      try context.save()
      #expect(scene.report() == [])
      let stored = try context.all("Player", sort: ["age"])
      #expect(scene.table.sections[0].rows == stored)
      for (row, player) in stored.enumerated() {
        #expect(scene.controller.indexPath(forObject: player) == IndexPath(row: row, section: 0))
      }
    }
  }

  @Test("a limit of 0, 1 or n holds while rows are inserted and deleted", arguments: [0, 1, 3])
  func limit(_ limit: Int) throws {
    let players = (0..<5).map { ("p\($0)", $0 * 10) }
    try LiveScene.run(players, LiveScene.Request(limit: limit)) { scene in
      // 0 means no limit.
      let count = limit == 0 ? 5 : limit
      #expect(scene.names[0].count == count)
      let first = scene.context.insert("Player", ["name": "first", "age": -1])
      #expect(scene.report() == (limit == 0 ? [] : ["-0.\(limit - 1)"]) + ["+0.0"])
      #expect(scene.names[0] == ["first"] + players.map(\.0).prefix(limit == 0 ? 5 : limit - 1))
      scene.context.delete(first)
      #expect(scene.report() == ["-0.0"] + (limit == 0 ? [] : ["+0.\(limit - 1)"]))
      #expect(scene.names[0] == Array(players.map(\.0).prefix(count)))
    }
  }

  @Test(
    "a limit equal to the number of rows holds while one is inserted and another deleted",
    arguments: [0, 2])
  func exactLimit(_ batchSize: Int) throws {
    let players = (0..<5).map { ("p\($0)", $0 * 10) }
    try LiveScene.run(players, LiveScene.Request(limit: 5, batchSize: batchSize)) { scene in
      func insert(_ name: String, _ age: Int) {
        scene.context.insert("Player", ["name": name, "age": age])
      }
      insert("a", -1)
      scene.context.delete(try scene["p2"])
      #expect(scene.report() == ["-0.2", "+0.0"])
      #expect(scene.names == [["a", "p0", "p1", "p3", "p4"]])
      // An insertion without a deletion moves the last row out of the limit.
      insert("b", -2)
      #expect(scene.report() == ["-0.4", "+0.0"])
      #expect(scene.names == [["b", "a", "p0", "p1", "p3"]])
      // Both changes are within the limit, so the row outside stays outside.
      insert("c", -3)
      scene.context.delete(try scene["b"])
      #expect(scene.report() == ["-0.0", "+0.0"])
      #expect(scene.names == [["c", "a", "p0", "p1", "p3"]])
      // Of two rows that could enter, the new one is first.
      insert("d", 35)
      scene.context.delete(try scene["a"])
      #expect(scene.report() == ["-0.1", "+0.4"])
      #expect(scene.names == [["c", "p0", "p1", "p3", "d"]])
      scene.context.delete(try scene["c"])
      scene.context.delete(try scene["p0"])
      #expect(scene.report() == ["-0.1", "-0.0", "+0.3"])
      #expect(scene.names == [["p1", "p3", "d", "p4"]])
    }
  }

  @Test("an offset holds while rows are inserted and deleted before it")
  func offset() throws {
    let players = (0..<6).map { ("p\($0)", $0 * 10) }
    try LiveScene.run(players, LiveScene.Request(limit: 2, offset: 2)) { scene in
      #expect(scene.names == [["p2", "p3"]])
      let first = scene.context.insert("Player", ["name": "first", "age": -1])
      #expect(scene.report() == ["-0.1", "+0.0"])
      #expect(scene.names == [["p1", "p2"]])
      scene.context.delete(first)
      #expect(scene.report() == ["-0.0", "+0.1"])
      let all = try scene.context.all("Player", sort: ["age"])
      for place in [0, 1, 4, 5] {
        all[place].setValue("q", forKey: "name")
        all[place].setValue(place * 10 + 1, forKey: "age")
      }
      #expect(scene.report() == [])
      #expect(scene.names == [["p2", "p3"]])
      // Two rows swap across the limit.
      all[2].setValue(45, forKey: "age")
      #expect(scene.report() == ["-0.0", "+0.1"])
      #expect(scene.names == [["p3", "q"]])
    }
  }

  @Test(
    "two thousand changes in one save are reported together",
    .only(
      [.memorySQLite, .inMemory, .keyValue],
      "the reports of many changes do not depend on the kind of store"))
  func manyChanges() throws {
    let players = (0..<2_000).map { ("p\($0)", $0 % 200) }
    let request = LiveScene.Request(sort: ["age", "name"], section: "age")
    try LiveScene.run(players, request) { scene in
      for player in scene.table.sections.flatMap(\.rows) {
        let name = player.value(forKey: "name") as? String ?? ""
        let index = Int(name.dropFirst()) ?? 0
        if index % 3 == 0 {
          scene.context.delete(player)
        } else {
          player.setValue(index % 140, forKey: "age")
        }
      }
      try scene.context.save()
      #expect(scene.table.sections.count == 140)
      #expect(scene.table.sections.reduce(0) { $0 + $1.rows.count } == 1333)
      // There is one report, and the table equals a fetch in a new context.
      let (calls, sections) = (scene.table.calls, scene.table.sections)
      let edges = calls.filter { $0 == "will" || $0 == "did" }
      #expect(edges == ["will", "did"])
      #expect(calls.first == "will" && calls.last == "did")
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = scene.context.persistentStoreCoordinator
      try other.performAndWait {
        let all = try other.all("Player", sort: ["age", "name"])
        let stored = SectionsByHand.of(all, "age")
        #expect(sections.map(\.name) == stored.map(\.name))
        let ids = stored.map { $0.rows.map(\.objectID) }
        // `#expect` with the comparison itself would print all rows when it fails.
        let isSame = sections.map { $0.rows.map(\.objectID) } == ids
        #expect(isSame)
      }
    }
  }
}
