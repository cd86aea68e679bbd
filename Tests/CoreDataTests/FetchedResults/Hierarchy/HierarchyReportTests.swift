import CoreData
import CoreDataTestSupport
import Testing

/// The order of the reports of hierarchical results, and the report to an observer that is added later.
@Suite("Reports of hierarchical results", .onEveryStore)
struct HierarchyReportTests {
  typealias Controller = HierarchicalResultsTests.Controller
  typealias UpdateRecorder = HierarchicalResultsTests.UpdateRecorder

  /// Runs a test's body with two teams, A (players a1 and a2) and B (no players), and a controller without observers.
  private func run(
    limit: Int = 0,
    _ body: (NSManagedObjectContext, Controller, [String: NSManagedObject]) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      var objects: [String: NSManagedObject] = [:]
      for name in ["A", "B"] { objects[name] = context.insert("Team", ["name": name]) }
      for age in [1, 2] {
        objects["a\(age)"] = context.insert(
          "Player", ["name": "a\(age)", "age": age, "team": objects["A"]])
      }
      try context.save()
      let request = HierarchicalResultsTests.teams()
      request.fetchLimit = limit
      let controller = Controller(
        fetchRequest: request, childRelationship: "players",
        sortedBy: HierarchicalResultsTests.byAge,
        managedObjectContext: context)
      try controller.performFetch()
      try body(context, controller, objects)
    }
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  private func names(_ controller: Controller) -> [[String]] {
    (0..<controller.numberOfSections).map { section in
      controller.children(ofSection: section).map { $0["name"] ?? "" }
    }
  }

  /// Runs a closure during the first report.
  private final class ChangingDelegate: HierarchicalResultsControllerDelegate {
    private var body: (() -> Void)?
    var updates: [TableUpdates] = []

    init(_ body: @escaping () -> Void) { self.body = body }

    func hierarchicalResults<Parent, Child>(
      _ controller: HierarchicalResultsController<Parent, Child>,
      didChangeContentWith updates: TableUpdates
    ) {
      self.updates.append(updates)
      let body = body
      self.body = nil
      body?()
    }
  }

  @Test("reach all observers one after the other, even if a delegate saves during a report")
  func inOrder() throws {
    try run { context, controller, objects in
      let delegate = ChangingDelegate {
        context.insert("Player", ["name": "a0", "age": 0, "team": objects["A"]])
        context.insert("Team", ["name": "0"])
        try? context.save()
      }
      controller.delegate = delegate
      let table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
      var counts: [Int] = []
      controller.addObserver { [unowned controller] _ in
        counts.append(controller.numberOfSections)
      }
      context.insert("Player", ["name": "a3", "age": 3, "team": objects["A"]])
      context.processPendingChanges()
      #expect(delegate.updates.first?.insertedRows == [path(0, 2)])
      #expect(delegate.updates.count == 2)
      // The results match the report until the last observer has received it.
      #expect(counts == [2, 3])
      #expect(names(controller) == [[], ["a0", "a1", "a2", "a3"], []])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test(
    "that waited for an earlier report update parents with changed values, not parents with only changed children"
  )
  func waitingKeys() throws {
    try run { context, controller, objects in
      let delegate = ChangingDelegate {
        objects["A"]?.setValue("AA", forKey: "name")
        try? context.save()
        context.insert("Player", ["name": "new", "age": 9, "team": objects["A"]])
        context.insert("Player", ["name": "b1", "age": 9, "team": objects["B"]])
        try? context.save()
      }
      controller.delegate = delegate
      objects["a1"]?.setValue("a", forKey: "name")
      context.processPendingChanges()
      #expect(
        delegate.updates.map { $0.reloadedSections.map(\.new) } == [[], [0], []],
        "\(delegate.updates)")
    }
  }

  @Test(
    "do not reach an observer that another observer removes, and a new fetch waits until all have received them"
  )
  func leaving() throws {
    try run { context, controller, objects in
      var second: AnyObject?
      var (notified, counts): ([Int], [Int]) = ([], [])
      let delegate = ChangingDelegate { try? controller.performFetch() }
      controller.delegate = delegate
      controller.addObserver { _ in
        notified.append(1)
        if let second { controller.removeObserver(second) }
      }
      second = controller.addObserver { _ in notified.append(2) }
      controller.addObserver { [unowned controller] _ in
        counts.append(controller.numberOfRows(inSection: 1))
      }
      context.insert("Player", ["name": "b1", "age": 1, "team": objects["B"]])
      context.processPendingChanges()
      #expect(notified == [1])
      #expect(counts == [1])
    }
  }

  @Test(
    "immediately reach an observer that is added later, with everything it missed",
    arguments: ["a delegate", "a view"])
  func late(_ observer: String) throws {
    try run { context, controller, objects in
      let table = HierarchicalResultsTests.table(controller)
      let team = context.insert("Team", ["name": "C"])
      context.insert("Player", ["name": "c1", "age": 1, "team": team])
      objects["a1"]?.setValue("new", forKey: "name")
      try context.save()
      context.delete(try #require(objects["a2"]))
      context.processPendingChanges()
      // Without an observer, the results do not change.
      #expect(controller.numberOfSections == 2 && controller.numberOfRows(inSection: 0) == 2)
      if observer == "a view" {
        controller.keepUpdated(table)
        #expect(table.violations.isEmpty, "\(table.violations)")
        #expect(table.sections.map(\.rows.count) == [1, 0, 1])
      } else {
        let recorder = UpdateRecorder()
        controller.delegate = recorder
        var expected = TableUpdates()
        expected.insertedSections = [2]
        expected.insertedRows = [path(2, 0)]
        expected.deletedRows = [path(0, 1)]
        expected.reloadedRows = [.init(old: path(0, 0), new: path(0, 0))]
        #expect(recorder.report() == expected)
        team.setValue("D", forKey: "name")
        context.processPendingChanges()
        #expect(recorder.report()?.reloadedSections == [.init(old: 2, new: 2)])
      }
      #expect(names(controller) == [["new"], [], ["c1"]])
    }
  }

  @Test(
    "of missed changes contain the fewest possible moves, including moves of parents and between parents"
  )
  func lateMoves() throws {
    try run { context, controller, objects in
      let observer = controller.addObserver { _ in }
      controller.removeObserver(observer)
      for age in 3..<6 { context.insert("Player", ["age": age, "team": objects["A"]]) }
      context.processPendingChanges()
      let recorder = UpdateRecorder()
      controller.delegate = recorder
      _ = recorder.report()
      controller.delegate = nil
      objects["a2"]?.setValue(objects["B"], forKey: "team")
      objects["a1"]?.setValue(99, forKey: "age")
      objects["A"]?.setValue("Z", forKey: "name")
      context.processPendingChanges()
      controller.delegate = recorder
      let report = recorder.report()
      #expect(report?.movedSections.count == 1)
      #expect(
        report?.movedRows == [
          .init(old: path(0, 1), new: path(0, 0)), .init(old: path(0, 0), new: path(1, 3)),
        ])
      #expect(report?.deletedRows == [] && report?.insertedRows == [])
    }
  }

  @Test(
    "are not required: new parents keep their sections when they are saved without an observer",
    arguments: [0, 2])
  func unsavedParents(_ limit: Int) throws {
    try run(limit: limit) { context, controller, objects in
      let team = context.insert("Team", ["name": "0"])
      let player = context.insert("Player", ["name": "p", "age": 1, "team": team])
      context.processPendingChanges()
      try controller.performFetch()
      try context.save()
      #expect(controller.parent(ofSection: 0) === team)
      #expect(controller.section(of: team) == 0)
      #expect(controller.indexPath(forObject: player) == path(0, 0))
      let recorder = UpdateRecorder()
      controller.delegate = recorder
      context.reset()
      #expect(recorder.updates.last?.deletedSections == (limit == 0 ? [2, 1, 0] : [1, 0]))
      #expect(controller.numberOfSections == 0)
    }
  }

  @Test("of another fetch reach views, and not the delegate")
  func fetchedAgain() throws {
    try run { context, controller, objects in
      let recorder = UpdateRecorder()
      controller.delegate = recorder
      let table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
      context.reset()
      #expect(table.sections.isEmpty && recorder.updates.count == 1)
      try controller.performFetch()
      #expect(table.sections.map(\.rows.count) == [2, 0])
      #expect(recorder.updates.count == 1)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("of a reset, and of objects inserted before the reset was reported, are separate")
  func insertedAfterReset() throws {
    try run { context, controller, objects in
      let table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
      let rest = Unchecked<Bool>(true)
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { _ in
        guard rest.value else { return }
        rest.value = false
        context.reset()
        let team = context.insert("Team", ["name": "New"])
        context.insert("Player", ["name": "n1", "age": 1, "team": team])
      }
      defer { NotificationCenter.default.removeObserver(token) }
      objects["A"]?.setValue("AA", forKey: "name")
      context.processPendingChanges()
      context.processPendingChanges()
      #expect(names(controller) == [["n1"]])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("move children that are sorted by an object whose ID became permanent")
  func orderedByReference() throws {
    try SampleStack.withContext { context in
      let tag = context.insert("Tag", ["label": "x"])
      let old = context.insert("Team", ["name": "Old"])
      let players = (1...3).map {
        context.insert("Player", ["name": "p\($0)", "tags": NSSet(object: tag)])
      }
      players[0].setValue(old, forKey: "team")
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.sortDescriptors = [NSSortDescriptor(key: "label", ascending: true)]
      let controller = Controller(
        fetchRequest: request, childRelationship: "players",
        sortedBy: ["team", "name"].map { NSSortDescriptor(key: $0, ascending: true) },
        managedObjectContext: context)
      try controller.performFetch()
      let table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
      // The temporary ID sorts before or after the permanent ones; the new permanent ID sorts after the first team's.
      players[1].setValue(context.insert("Team", ["name": "New"]), forKey: "team")
      context.processPendingChanges()
      try context.save()
      context.processPendingChanges()
      let present = names(controller)
      try controller.performFetch()
      #expect(present == names(controller))
      #expect(table.sections.map { $0.rows.map { $0["name"] ?? "" } } == names(controller))
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }
}

/// Hierarchical results while their store cannot be read.
@Suite("Hierarchical results of a store that fails")
struct FailingHierarchyTests {
  typealias Controller = HierarchicalResultsTests.Controller

  @Test(
    "stay unchanged, and are read again with the next change", arguments: ["members", "values"])
  func failure(_ call: String) throws {
    DictionaryStore.register()
    let url = try #require(URL(string: "test:\(UUID().uuidString)"))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleStack.makeModel())
    try coordinator.addPersistentStore(type: .init(rawValue: DictionaryStore.storeType), at: url)
    let server = DictionaryStore.server(at: url)
    func context() -> NSManagedObjectContext {
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      return context
    }
    let writer = context()
    try writer.performAndWait {
      for name in ["A", "X"] {
        let team = writer.insert("Team", ["name": name])
        for age in [2, 1] {
          writer.insert("Player", ["name": "\(name)\(age)", "age": age, "team": team])
        }
      }
      try writer.save()
    }
    let reader = context()
    try reader.performAndWait {
      let controller = Controller(
        fetchRequest: HierarchicalResultsTests.teams("name != 'X'"), childRelationship: "players",
        sortedBy: HierarchicalResultsTests.byAge, managedObjectContext: reader)
      try controller.performFetch()
      let recorder = HierarchicalResultsTests.UpdateRecorder()
      controller.delegate = recorder
      let table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
      let hidden = try #require(try reader.all("Team", "name == 'X'").first)
      let (first, shown) = (
        controller.parent(ofSection: 0), controller.object(at: IndexPath(row: 0, section: 0))
      )
      // The controller has to read the team's players, which fails.
      hidden.setValue("0", forKey: "name")
      shown.setValue("new", forKey: "name")
      server.failing = [call]
      reader.processPendingChanges()
      #expect(recorder.updates.isEmpty)
      #expect(controller.numberOfSections == 1 && controller.numberOfRows(inSection: 0) == 2)
      #expect(controller.parent(ofSection: 0) === first)
      #expect(controller.section(of: first) == 0 && controller.section(of: hidden) == nil)
      #expect(controller.indexPath(forObject: shown) == IndexPath(row: 0, section: 0))
      reader.processPendingChanges()
      server.failing = []
      first.setValue("AA", forKey: "name")
      reader.processPendingChanges()
      var expected = TableUpdates()
      expected.insertedSections = [0]
      expected.insertedRows = [IndexPath(row: 0, section: 0), IndexPath(row: 1, section: 0)]
      expected.reloadedSections = [.init(old: 0, new: 1)]
      expected.reloadedRows = [
        .init(old: IndexPath(row: 0, section: 0), new: IndexPath(row: 0, section: 1))
      ]
      #expect(recorder.report() == expected)
      #expect(controller.parents == [hidden, first])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }
}
