import CoreData
import CoreDataTestSupport
import Testing

@Suite("Hierarchical results", .onEveryStore)
struct HierarchicalResultsTests {
  typealias Controller = HierarchicalResultsController<NSManagedObject, NSManagedObject>

  static func teams(_ predicate: String? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.predicate = predicate.map { NSPredicate(format: $0) }
    return request
  }

  static var byAge: [NSSortDescriptor] { [NSSortDescriptor(key: "age", ascending: true)] }

  /// Returns a table of a controller's sections and rows.
  static func table(_ controller: Controller) -> RecordingTable {
    RecordingTable(traps: false) { [unowned controller] in
      (0..<controller.numberOfSections).map { section in
        .init(
          name: "\(ObjectIdentifier(controller.parent(ofSection: section)))",
          rows: controller.children(ofSection: section))
      }
    }
  }

  /// Records the reports of a controller.
  final class UpdateRecorder: HierarchicalResultsControllerDelegate {
    var updates: [TableUpdates] = []
    func hierarchicalResults<Parent, Child>(
      _ controller: HierarchicalResultsController<Parent, Child>,
      didChangeContentWith updates: TableUpdates
    ) {
      self.updates.append(updates)
    }

    /// Returns the report since the last call, or nil if there is not exactly one.
    func report() -> TableUpdates? {
      defer { updates = [] }
      return updates.count == 1 ? updates[0] : nil
    }
  }

  /// Runs a test's body with a controller of three teams and a recorder of its reports. The teams A and B each have
  /// players of the ages 1, 2 and 3; team C is empty.
  private func run(
    predicate: String? = nil,
    _ body: (
      NSManagedObjectContext, Controller, [String: NSManagedObject], UpdateRecorder
    ) throws -> Void
  ) throws {
    try SampleStack.withContext { context in
      var objects: [String: NSManagedObject] = [:]
      for name in ["C", "A", "B"] {
        let team = context.insert("Team", ["name": name])
        objects[name] = team
        for age in name == "C" ? [] : [3, 1, 2] {
          objects["\(name)\(age)"] = context.insert(
            "Player", ["name": "\(name)\(age)", "age": age, "team": team])
        }
      }
      try context.save()
      let controller = Controller(
        fetchRequest: Self.teams(predicate), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      let recorder = UpdateRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      let table = Self.table(controller)
      controller.keepUpdated(table)
      try body(context, controller, objects, recorder)
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  private func names(_ controller: Controller) -> [[String]] {
    (0..<controller.numberOfSections).map { section in
      controller.children(ofSection: section).map { $0.value(forKey: "name") as? String ?? "" }
    }
  }

  @Test(
    "have a section for each parent, even without children, and return objects and index paths")
  func reading() throws {
    try run { _, controller, objects, _ in
      #expect(controller.numberOfSections == 3)
      #expect(controller.parents == ["A", "B", "C"].compactMap { objects[$0] })
      #expect(names(controller) == [["A1", "A2", "A3"], ["B1", "B2", "B3"], []])
      #expect(controller.numberOfRows(inSection: 2) == 0)
      #expect(controller.parent(ofSection: 1) === objects["B"])
      let (team, player, stranger) = (
        try #require(objects["C"]), try #require(objects["A2"]), try #require(objects["A"])
      )
      #expect(controller.section(of: team) == 2)
      #expect(controller.object(at: path(1, 2)) === objects["B3"])
      #expect(controller.indexPath(forObject: player) == path(0, 1))
      #expect(controller.indexPath(forObject: stranger) == nil)
    }
  }

  @Test("report deleted and inserted sections, with their rows")
  func sections() throws {
    try run { context, controller, objects, recorder in
      context.delete(try #require(objects["A"]))
      let team = context.insert("Team", ["name": "D"])
      context.insert("Player", ["name": "D1", "team": team])
      context.processPendingChanges()
      var expected = TableUpdates()
      expected.deletedSections = [0]
      expected.deletedRows = [path(0, 2), path(0, 1), path(0, 0)]
      expected.insertedSections = [2]
      expected.insertedRows = [path(2, 0)]
      #expect(recorder.report() == expected)
      #expect(names(controller) == [["B1", "B2", "B3"], [], ["D1"]])
      try context.save()
      #expect(recorder.updates.isEmpty)
    }
  }

  @Test(
    "report deleted, inserted, moved and updated rows, but no update of a parent whose children change"
  )
  func rows() throws {
    try run { context, controller, objects, recorder in
      context.delete(try #require(objects["A2"]))
      context.insert("Player", ["name": "C9", "age": 9, "team": objects["C"]])
      objects["A1"]?.setValue("new", forKey: "name")
      objects["B1"]?.setValue(7, forKey: "age")
      objects["B2"]?.setValue(objects["A"], forKey: "team")
      context.processPendingChanges()
      var expected = TableUpdates()
      expected.deletedRows = [path(0, 1)]
      expected.insertedRows = [path(2, 0)]
      expected.movedRows = [
        .init(old: path(1, 1), new: path(0, 1)), .init(old: path(1, 0), new: path(1, 1)),
      ]
      // Of the two rows that swapped, the one with changed values is the moved one.
      expected.reloadedRows = [.init(old: path(0, 0), new: path(0, 0))]
      #expect(recorder.report() == expected)
      #expect(names(controller) == [["new", "B2", "A3"], ["B3", "B1"], ["C9"]])
    }
  }

  @Test("report a parent that changed or moved")
  func parents() throws {
    try run { context, controller, objects, recorder in
      objects["B"]?.setValue("B2", forKey: "name")
      context.processPendingChanges()
      var expected = TableUpdates()
      expected.reloadedSections = [.init(old: 1, new: 1)]
      #expect(recorder.report() == expected)
      objects["A"]?.setValue("Z", forKey: "name")
      objects["A3"]?.setValue("new", forKey: "name")
      context.processPendingChanges()
      expected = TableUpdates()
      expected.movedSections = [.init(old: 0, new: 2)]
      expected.reloadedRows = [.init(old: path(0, 2), new: path(2, 2))]
      #expect(recorder.report() == expected)
      #expect(names(controller) == [["B1", "B2", "B3"], [], ["A1", "A2", "new"]])
    }
  }

  @Test("report nothing if a parent outside the results is deleted")
  func strangeParent() throws {
    try run(predicate: "name != 'A'") { context, controller, objects, recorder in
      context.delete(try #require(objects["A"]))
      context.processPendingChanges()
      try context.save()
      #expect(recorder.updates.isEmpty)
      #expect(names(controller) == [["B1", "B2", "B3"], []])
    }
  }

  @Test(
    "report a row that moves to a parent outside the results as deleted, and as inserted with that parent"
  )
  func predicate() throws {
    try run(predicate: "name != 'A'") { context, _, objects, recorder in
      objects["B2"]?.setValue(objects["A"], forKey: "team")
      context.processPendingChanges()
      var expected = TableUpdates()
      expected.deletedRows = [path(0, 1)]
      #expect(recorder.report() == expected)
      objects["A"]?.setValue("AA", forKey: "name")
      context.processPendingChanges()
      expected = TableUpdates()
      expected.insertedSections = [0]
      expected.insertedRows = (0..<4).map { path(0, $0) }
      #expect(recorder.report() == expected)
    }
  }

  @Test(
    "report moving the first of many children to the end as one move, even in an ordered relationship"
  )
  func firstToLast() throws {
    try run { context, controller, objects, recorder in
      for age in 4..<40 { context.insert("Player", ["age": age, "team": objects["A"]]) }
      context.processPendingChanges()
      _ = recorder.report()
      objects["A1"]?.setValue(99, forKey: "age")
      context.processPendingChanges()
      var expected = TableUpdates()
      expected.movedRows = [.init(old: path(0, 0), new: path(0, 38))]
      #expect(recorder.report() == expected)

      let team = try #require(objects["C"])
      let trophies = team.mutableOrderedSetValue(forKey: "trophies")
      for title in 0..<30 { trophies.add(context.insert("Trophy", ["title": "\(title)"])) }
      context.processPendingChanges()
      let ordered = try Controller(parent: team, childRelationship: "trophies")
      try ordered.performFetch()
      let table = Self.table(ordered)
      ordered.delegate = recorder
      ordered.keepUpdated(table)
      _ = recorder.report()
      trophies.moveObjects(at: [0], to: 29)
      context.processPendingChanges()
      #expect(recorder.updates.last == expectedMove(29))
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  private func expectedMove(_ last: Int) -> TableUpdates {
    var expected = TableUpdates()
    expected.movedRows = [.init(old: path(0, 0), new: path(0, last))]
    return expected
  }

  @Test("of one parent have one section, none once it is deleted, and one again after a rollback")
  func oneParent() throws {
    try run { context, _, objects, recorder in
      let controller = try Controller(
        parent: try #require(objects["A"]), childRelationship: "players", sortedBy: Self.byAge)
      controller.delegate = recorder
      try controller.performFetch()
      let table = Self.table(controller)
      controller.keepUpdated(table)
      #expect(names(controller) == [["A1", "A2", "A3"]])
      objects["B1"]?.setValue(objects["A"], forKey: "team")
      context.processPendingChanges()
      #expect(controller.numberOfRows(inSection: 0) == 4)
      context.delete(try #require(objects["A"]))
      context.processPendingChanges()
      #expect(controller.numberOfSections == 0 && table.sections.isEmpty)
      context.rollback()
      #expect(names(controller) == [["A1", "A2", "A3"]])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("have a row for a child under each of its parents")
  func manyToMany() throws {
    try SampleStack.withContext { context in
      let players = ["a", "b"].map { context.insert("Player", ["name": $0]) }
      let tag = context.insert("Tag", ["label": "x", "players": Set(players)])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Player")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = Controller(
        fetchRequest: request, childRelationship: "tags",
        sortedBy: [NSSortDescriptor(key: "label", ascending: true)], managedObjectContext: context)
      let recorder = UpdateRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      #expect(controller.indexPaths(forObject: tag) == [path(0, 0), path(1, 0)])
      tag.setValue("y", forKey: "label")
      context.processPendingChanges()
      #expect(recorder.report()?.reloadedRows.count == 2)
      tag.setValue(Set([players[1]]), forKey: "players")
      context.processPendingChanges()
      #expect(recorder.report()?.deletedRows == [path(0, 0)])
      #expect(controller.indexPaths(forObject: tag) == [path(1, 0)])
    }
  }

  @Test("have any number of levels, and their index paths have an index for each level")
  func levels() throws {
    try run { context, _, objects, recorder in
      let tag = context.insert("Tag", ["label": "x"])
      objects["B2"]?.setValue(Set([tag]), forKey: "tags")
      context.processPendingChanges()
      let controller = Controller(
        fetchRequest: Self.teams(),
        levels: [
          HierarchyLevel("players", sortedBy: Self.byAge),
          HierarchyLevel("tags", sortedBy: [NSSortDescriptor(key: "label", ascending: true)]),
        ], managedObjectContext: context)
      controller.delegate = recorder
      try controller.performFetch()
      #expect(controller.object(at: [1, 1, 0]) === tag)
      #expect(controller.numberOfChildren(at: [1, 1]) == 1)
      #expect(controller.indexPath(forObject: tag) == [1, 1, 0])
      _ = recorder.report()
      // The children of a row move with it.
      objects["B2"]?.setValue(objects["A"], forKey: "team")
      context.insert("Tag", ["label": "y", "players": Set([objects["A3"]].compactMap(\.self))])
      context.processPendingChanges()
      let report = recorder.updates.last
      let player = try #require(objects["B2"])
      #expect(
        controller.indexPath(forObject: tag)
          == controller.indexPath(forObject: player)?.appending(0))
      #expect(report?.movedRows.count == 1 && report?.insertedRows.count == 1)
      #expect(report?.deletedRows == [])
    }
  }

  @Test("apply merged saves of another context, and become empty after a reset")
  func mergeAndReset() throws {
    let stack = try SampleStack()
    let other = stack.newContext()
    try stack.context.performAndWait {
      let context = stack.context
      let team = context.insert("Team", ["name": "A"])
      context.insert("Player", ["name": "a", "age": 1, "team": team])
      try context.save()
      let controller = Controller(
        fetchRequest: Self.teams(), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      try controller.performFetch()
      let table = Self.table(controller)
      controller.keepUpdated(table)
      let id = team.objectID
      let saved = Saved()
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: other, queue: nil
      ) { saved.note = $0 }
      try other.performAndWait {
        other.insert("Player", ["name": "b", "age": 0, "team": other.object(with: id)])
        other.insert("Team", ["name": "B"])
        try other.save()
      }
      NotificationCenter.default.removeObserver(token)
      context.mergeChanges(fromContextDidSave: try #require(saved.note))
      #expect(names(controller) == [["b", "a"], []])
      #expect(table.violations.isEmpty, "\(table.violations)")
      context.reset()
      #expect(controller.numberOfSections == 0 && table.sections.isEmpty)
      #expect(table.violations.isEmpty, "\(table.violations)")
      try controller.performFetch()
      #expect(names(controller) == [["b", "a"], []])
    }
  }

  private final class Saved: @unchecked Sendable {
    var note: Notification?
  }

  @Test(
    "apply a save by another coordinator, which does not report the changed rows",
    .only([.sqlite], "only SQLite files can be shared"))
  func foreignSaves() throws {
    let stack = try SampleStack()
    let context = stack.context
    let other = try stack.reopened()
    context.automaticallyMergesChangesFromParent = true
    let (controller, table) = try context.performAndWait {
      () throws -> (Controller, RecordingTable) in
      let team = context.insert("Team", ["name": "A"])
      for age in [1, 3] { context.insert("Player", ["name": "\(age)", "age": age, "team": team]) }
      try context.save()
      let controller = Controller(
        fetchRequest: Self.teams(), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      try controller.performFetch()
      let table = Self.table(controller)
      controller.keepUpdated(table)
      return (controller, table)
    }
    try other.context.performAndWait {
      let team = try #require(other.context.all("Team").first)
      other.context.insert("Player", ["name": "2", "age": 2, "team": team])
      let new = other.context.insert("Team", ["name": "B"])
      try other.context.all("Player", "age == 3").first?.setValue(new, forKey: "team")
      try other.context.save()
    }
    let end = Date(timeIntervalSinceNow: 3600)
    while context.performAndWait({ names(controller) != [["1", "2"], ["3"]] }), Date() < end {
      usleep(10_000)
    }
    context.performAndWait {
      #expect(names(controller) == [["1", "2"], ["3"]])
      #expect(table.violations.isEmpty, "\(table.violations)")
    }
  }

  @Test("throw an error for invalid levels")
  func invalidLevels() throws {
    try SampleStack.withContext { context in
      func text(_ levels: [HierarchyLevel], _ request: NSFetchRequest<NSManagedObject>) -> String {
        let controller = Controller(
          fetchRequest: request, levels: levels, managedObjectContext: context)
        let error = #expect(throws: NSError.self) { try controller.performFetch() }
        #expect(controller.parents == nil && controller.numberOfSections == 0)
        return error?.localizedDescription ?? ""
      }
      #expect(text([], Self.teams()).contains("at least one level"))
      #expect(
        text([HierarchyLevel("players")], Self.teams()).contains("Team.players is not ordered"))
      #expect(text([HierarchyLevel("name")], Self.teams()).contains("not a to-many relationship"))
      #expect(text([HierarchyLevel("plyers")], Self.teams()).contains("did you mean \"players\""))
      #expect(
        text(
          [HierarchyLevel("players", sortedBy: Self.byAge)],
          NSFetchRequest<NSManagedObject>(entityName: "Team")
        ).contains("sort descriptors"))
    }
  }

  @Test("throw an error if a level or the request has objects of another class, or IDs")
  func wrongClasses() throws {
    final class Stranger: NSManagedObject {}
    try SampleStack.withContext { context in
      let team = context.insert("Team", ["name": "A"])
      context.insert("Player", ["age": 1, "team": team])
      try context.save()
      let ofRequest = HierarchicalResultsController<NSManagedObject, Stranger>(
        fetchRequest: Self.teams(), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      let ofParent = try HierarchicalResultsController<NSManagedObject, Stranger>(
        parent: team, childRelationship: "players", sortedBy: Self.byAge)
      for controller in [ofRequest, ofParent] {
        let error = #expect(throws: NSError.self) { try controller.performFetch() }
        #expect(error?.code == NSCoreDataError)
        #expect(error?.localizedDescription.contains("children of entity Player") == true)
        #expect(controller.parents == nil)
      }
      let strangeTeams = NSFetchRequest<Stranger>(entityName: "Team")
      strangeTeams.sortDescriptors = Self.teams().sortDescriptors
      let strangeParents = HierarchicalResultsController<Stranger, NSManagedObject>(
        fetchRequest: strangeTeams, childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      #expect(throws: NSError.self) { try strangeParents.performFetch() }
      let ids = Self.teams()
      ids.resultType = .managedObjectIDResultType
      let controllerOfIDs = Controller(
        fetchRequest: ids, childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      #expect(throws: NSError.self) { try controllerOfIDs.performFetch() }
    }
  }

  @Test("have children of the class of an entity's concrete subentities")
  func abstractChildren() throws {
    let model = SampleStack.makeModel()
    model.entitiesByName["Player"]?.isAbstract = true
    model.entitiesByName["Captain"]?.managedObjectClassName = "CoreDataTests.WatchedPlayer"
    try SampleStack.withContext(model: model) { context in
      let team = context.insert("Team", ["name": "A"])
      let captain = context.insert("Captain", ["age": 1, "team": team])
      try context.save()
      let controller = HierarchicalResultsController<NSManagedObject, WatchedPlayer>(
        fetchRequest: Self.teams(), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      try controller.performFetch()
      #expect(controller.object(at: path(0, 0)) === captain)
    }
  }

  @Test("observe the context while they have an observer, and do not retain views")
  func lifetime() throws {
    try run { context, _, objects, _ in
      let controller = Controller(
        fetchRequest: Self.teams(), childRelationship: "players", sortedBy: Self.byAge,
        managedObjectContext: context)
      try controller.performFetch()
      var count = 0
      let observer = controller.addObserver { _ in count += 1 }
      objects["A1"]?.setValue(5, forKey: "age")
      context.processPendingChanges()
      #expect(count == 1)
      controller.removeObserver(observer)
      objects["A1"]?.setValue(0, forKey: "age")
      context.processPendingChanges()
      #expect(count == 1)
      weak var view: RecordingTable?
      do {
        let table = RecordingTable(traps: false)
        view = table
        controller.keepUpdated(table)
      }
      #expect(view == nil)
      // There is no longer an observer, so the results do not change.
      let names = controller.children(ofSection: 0).map { $0["name"] as String? }
      context.insert("Player", ["name": "A9", "age": 9, "team": objects["A"]])
      context.processPendingChanges()
      #expect(controller.children(ofSection: 0).map { $0["name"] as String? } == names)
    }
  }
}
