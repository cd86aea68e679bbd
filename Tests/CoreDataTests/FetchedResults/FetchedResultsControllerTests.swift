import CoreData
import CoreDataTestSupport
import Testing

@Suite("A fetched results controller", .onEveryStore)
struct FetchedResultsControllerTests {
  /// Players named and aged as given, one controller over them, and a table that follows it.
  private func run(
    _ players: [(String, Int)], sort: [String] = ["age"], section: String? = nil,
    predicate: String? = nil, limit: Int = 0,
    _ body: (
      NSManagedObjectContext, [String: NSManagedObject],
      NSFetchedResultsController<NSManagedObject>, RecordingTable
    ) throws -> Void
  ) throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      var byName: [String: NSManagedObject] = [:]
      for (name, age) in players {
        byName[name] = context.insert("Player", ["name": name, "age": age])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = sort.map { NSSortDescriptor(key: $0, ascending: true) }
      request.predicate = predicate.map { NSPredicate(format: $0) }
      request.fetchLimit = limit
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      try body(context, byName, controller, table)
      #expect(table.faults.isEmpty, "\(table.faults)")
    }
  }

  private func names(_ table: RecordingTable) -> [[String]] {
    table.sections.map { $0.rows.map { $0.value(forKey: "name") as? String ?? "" } }
  }

  /// Source: tests of CoreDataPlus run a controller whose request has an empty list on Apple's.
  @Test(
    "with no sort descriptors at all rows come in the order of their IDs",
    .only(TestedStore.allCases, "a program's own store names its objects by itself"))
  func unsorted() throws {
    try run([("a", 2), ("b", 1)], sort: []) { context, byName, _, table in
      #expect(table.sections.count == 1 && table.sections[0].rows.count == 2)
      let new = context.insert("Player", ["name": "c", "age": 0])
      try context.save()
      let keys = table.sections[0].rows.map { $0.objectID.uriRepresentation().lastPathComponent }
      #expect(keys == ["p1", "p2", "p3"] && table.sections[0].rows.last === new)
      if let first = table.sections[0].rows.first { context.delete(first) }
      try context.save()
      #expect(table.sections[0].rows.count == 2)
    }
  }

  @Test("has no sections or objects before the first fetch, and throws without a sort descriptor")
  func beforeFetch() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil,
        cacheName: nil)
      #expect(controller.sections == nil)
      #expect(controller.fetchedObjects == nil)
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(error?.localizedDescription.contains("sort descriptors") == true)
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
      try controller.performFetch()
      #expect(controller.fetchedObjects?.isEmpty == true)
      #expect(controller.sections?.count == 1)
      #expect(controller.sections?.first?.numberOfObjects == 0)
    }
  }

  @Test("gives sections, rows, paths and index titles")
  func reading() throws {
    try run([("Ann", 1), ("Bob", 2), ("Cem", 2)], section: "age") { _, players, controller, _ in
      #expect(controller.sections?.map(\.name) == ["1", "2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
      #expect(controller.sections?.map(\.indexTitle) == ["1", "2"])
      #expect(controller.sectionIndexTitles == ["1", "2"])
      #expect(controller.section(forSectionIndexTitle: "2", at: 1) == 1)
      #expect(controller.object(at: IndexPath(row: 1, section: 1)) === players["Cem"])
      let bob = try #require(players["Bob"])
      #expect(controller.indexPath(forObject: bob) == IndexPath(row: 0, section: 1))
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test(
    "throws when rows of one section are not next to each other, naming both",
    .only(TestedStore.allCases, "a program's own store names its objects by itself"))
  func scatteredSection() throws {
    let stack = try SampleStack()
    try stack.context.performAndWait {
      for (name, age) in [("a", 1), ("b", 2), ("c", 1)] {
        stack.context.insert("Player", ["name": name, "age": age])
      }
      try stack.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: "age",
        cacheName: nil)
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("section \"1\"") && text.contains("/p1") && text.contains("/p3"))
    }
  }

  @Test("reports an insertion, an update, a move and a deletion")
  func kinds() throws {
    try run([("Ann", 1), ("Bob", 3)]) { context, players, _, table in
      context.insert("Player", ["name": "Cem", "age": 2])
      context.processPendingChanges()
      #expect(table.calls == ["will", "+0.1", "did"])
      table.clear()
      players["Ann"]?.setValue("Anna", forKey: "name")
      context.processPendingChanges()
      #expect(table.calls == ["will", "~0.0=0.0", "did"])
      table.clear()
      players["Ann"]?.setValue(9, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "0.0>0.2", "did"])
      table.clear()
      context.delete(try #require(players["Bob"]))
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.1", "did"])
      #expect(names(table) == [["Cem", "Anna"]])
    }
  }

  @Test("calls nothing when nothing that it shows changed")
  func silence() throws {
    try run([("Ann", 1)], predicate: "age < 5") { context, _, _, table in
      context.insert("Player", ["name": "Old", "age": 50])
      context.insert("Team", ["name": "Red"])
      context.processPendingChanges()
      try context.save()
      #expect(table.calls.isEmpty)
    }
  }

  @Test("an object that leaves or enters the predicate is deleted or inserted")
  func predicate() throws {
    try run([("Ann", 1), ("Bob", 2)], predicate: "age < 5") { context, players, _, table in
      players["Ann"]?.setValue(7, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.0", "did"])
      table.clear()
      players["Ann"]?.setValue(3, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "+0.1", "did"])
    }
  }

  @Test("a section appears and another disappears in one change")
  func sectionsComeAndGo() throws {
    try run([("Ann", 1), ("Bob", 2)], section: "age") { context, players, _, table in
      players["Bob"]?.setValue(3, forKey: "age")
      context.processPendingChanges()
      #expect(
        table.calls == ["will", "-section 1 2", "+section 1 3", "1.0>1.0", "did"])
      table.clear()
      players["Ann"]?.setValue(3, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "-section 0 1", "0.0>0.0", "did"])
      #expect(names(table) == [["Ann", "Bob"]])
    }
  }

  @Test("two objects that swap are one move and one update")
  func swap() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, players, _, table in
      players["Ann"]?.setValue(2, forKey: "age")
      players["Bob"]?.setValue(1, forKey: "age")
      context.processPendingChanges()
      #expect(table.lastMoves == 1)
      #expect(table.calls.count == 4)
      #expect(names(table) == [["Bob", "Ann"]])
    }
  }

  @Test("moving the first of many rows to the end is one move")
  func firstToLast() throws {
    try run((0..<50).map { ("p\($0)", $0) }) { context, players, _, table in
      players["p0"]?.setValue(100, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "0.0>0.49", "did"])
    }
  }

  @Test("a sort key set to the value it had is an update")
  func sameValue() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, players, _, table in
      players["Ann"]?.setValue(1, forKey: "age")
      context.processPendingChanges()
      #expect(table.calls == ["will", "~0.0=0.0", "did"])
    }
  }

  @Test("one object deleted and another inserted at the same path")
  func replacement() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, players, _, table in
      context.delete(try #require(players["Ann"]))
      context.insert("Player", ["name": "Zoe", "age": 1])
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.0", "+0.0", "did"])
    }
  }

  @Test("a change that gives every row another section")
  func everySection() throws {
    try run([("a", 1), ("b", 2), ("c", 3)], section: "age") { context, players, _, table in
      for player in players.values {
        player.setValue((player.value(forKey: "age") as? Int ?? 0) + 10, forKey: "age")
      }
      context.processPendingChanges()
      #expect(table.sections.map(\.name) == ["11", "12", "13"])
      #expect(names(table) == [["a"], ["b"], ["c"]])
    }
  }

  @Test("equal sort keys are ordered by ID, before and after a save")
  func duplicateKeys() throws {
    try run([("a", 1), ("b", 1)]) { context, _, controller, table in
      context.insert("Player", ["name": "c", "age": 1])
      context.insert("Player", ["name": "d", "age": 1])
      context.processPendingChanges()
      #expect(names(table) == [["a", "b", "c", "d"]])
      table.clear()
      try context.save()
      #expect(table.calls.isEmpty)
      #expect(names(table) == [["a", "b", "c", "d"]])
      let last = controller.object(at: IndexPath(row: 3, section: 0))
      #expect(controller.indexPath(forObject: last) == IndexPath(row: 3, section: 0))
      #expect(last.objectID.isTemporaryID == false)
    }
  }

  @Test("a limit holds while rows come and go", arguments: [1, 3])
  func limit(_ limit: Int) throws {
    try run((0..<5).map { ("p\($0)", $0 * 10) }, limit: limit) { context, players, _, table in
      #expect(table.sections[0].rows.count == limit)
      context.insert("Player", ["name": "first", "age": -1])
      context.processPendingChanges()
      #expect(table.calls == ["will", "-0.\(limit - 1)", "+0.0", "did"])
      #expect(names(table)[0].first == "first")
      table.clear()
      context.delete(try #require(players["p0"]))
      context.processPendingChanges()
      #expect(table.sections[0].rows.count == limit)
    }
  }

  @Test("a change at the end of a relationship is followed")
  func relationship() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      let blue = context.insert("Team", ["name": "Blue"])
      context.insert("Player", ["name": "Ann", "team": red])
      context.insert("Player", ["name": "Bob", "team": blue])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "team.name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team.name",
        cacheName: nil)
      let table = RecordingTable(traps: false)
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
      red.setValue("Aqua", forKey: "name")
      context.processPendingChanges()
      #expect(table.calls == ["will", "-section 1 Red", "+section 0 Aqua", "1.0>0.0", "did"])
      #expect(table.sections.map(\.name) == ["Aqua", "Blue"])
      #expect(table.faults.isEmpty)
    }
  }

  @Test("what another context saves arrives with the merge")
  func merge() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, players, _, table in
      let id = try #require(players["Ann"]).objectID
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = context.persistentStoreCoordinator
      let box = Box()
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: other, queue: nil
      ) { box.value = $0 }
      try other.performAndWait {
        other.object(with: id).setValue(5, forKey: "age")
        other.insert("Player", ["name": "Cem", "age": 3])
        try other.save()
      }
      NotificationCenter.default.removeObserver(token)
      context.mergeChanges(fromContextDidSave: try #require(box.value))
      #expect(names(table) == [["Bob", "Cem", "Ann"]])
      #expect(!context.hasChanges)
    }
  }

  @Test("a reset is reported as an empty result")
  func reset() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, _, controller, table in
      context.insert("Player", ["name": "Cem", "age": 3])
      context.reset()
      #expect(names(table) == [[]])
      #expect(controller.fetchedObjects?.isEmpty == true)
      try controller.performFetch()
      #expect(
        controller.fetchedObjects?.map { $0.value(forKey: "name") as? String } == ["Ann", "Bob"])
    }
  }

  private final class Box: @unchecked Sendable {
    var value: Notification?
  }

  @Test("a rollback is reported like any other change")
  func rollback() throws {
    try run([("Ann", 1), ("Bob", 2)]) { context, players, _, table in
      players["Ann"]?.setValue(9, forKey: "age")
      context.insert("Player", ["name": "Cem", "age": 0])
      context.delete(try #require(players["Bob"]))
      context.processPendingChanges()
      #expect(names(table) == [["Cem", "Ann"]])
      context.rollback()
      #expect(names(table) == [["Ann", "Bob"]])
    }
  }

  @Test("ten thousand changes in one save")
  func manyChanges() throws {
    try run((0..<10_000).map { ("p\($0)", $0 % 1000) }, section: "age") {
      context, players, _, table in
      for (index, player) in (0..<10_000).compactMap({ players["p\($0)"] }).enumerated() {
        if index % 3 == 0 {
          context.delete(player)
        } else {
          player.setValue(index % 700, forKey: "age")
        }
      }
      try context.save()
      #expect(table.sections.count == 700)
      #expect(table.sections.reduce(0) { $0 + $1.rows.count } == 6666)
    }
  }

  @Test("a batch size keeps objects out of memory until they are touched")
  func batchSize() throws {
    let stack = try SampleStack()
    let context = stack.context
    try context.performAndWait {
      for age in 0..<200 { context.insert("Player", ["age": age]) }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      request.fetchBatchSize = 10
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
        cacheName: nil)
      try controller.performFetch()
      #expect(context.registeredObjects.isEmpty)
      #expect(controller.sections?.first?.numberOfObjects == 200)
      let object = controller.object(at: IndexPath(row: 57, section: 0))
      #expect(object.value(forKey: "age") as? Int == 142)
      #expect(context.registeredObjects.count <= 10)
    }
  }
}
