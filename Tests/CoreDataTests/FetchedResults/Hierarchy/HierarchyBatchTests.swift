import CoreData
import CoreDataTestSupport
import Testing

/// Hierarchical results stay up to date when the IDs of objects that batch requests changed are merged.
@Suite(
  "Hierarchical results and batch requests",
  .only(TestedStore.sqlKinds, "Apple: only SQLite has batch requests"))
struct HierarchyBatchTests {
  typealias Controller = HierarchicalResultsTests.Controller

  /// Two saved teams, A with players of the ages 1, 2 and 3, and B with players of the ages 1 and 2. A controller in
  /// another context shows them, and a recorder receives its reports.
  private struct Scene {
    let stack: SampleStack
    let background: NSManagedObjectContext
    let view: NSManagedObjectContext
    let controller: Controller
    let recorder = HierarchicalResultsTests.UpdateRecorder()
    /// Applies each report to the previous rows, and compares the result with the rows of the controller.
    let table: RecordingTable

    init(_ stack: SampleStack, _ view: NSManagedObjectContext) throws {
      self.stack = stack
      self.view = view
      background = stack.context
      for (name, count) in [("A", 3), ("B", 2)] {
        let team = background.insert("Team", ["name": name])
        for age in 1...count {
          background.insert("Player", ["name": "\(name)\(age)", "age": age, "team": team])
        }
      }
      try background.save()
      controller = Controller(
        fetchRequest: HierarchicalResultsTests.teams(), childRelationship: "players",
        sortedBy: HierarchicalResultsTests.byAge, managedObjectContext: view)
      controller.delegate = recorder
      try controller.performFetch()
      table = HierarchicalResultsTests.table(controller)
      controller.keepUpdated(table)
    }

    var names: [[String]] {
      (0..<controller.numberOfSections).map { section in
        controller.children(ofSection: section).map { $0.value(forKey: "name") as? String ?? "" }
      }
    }

    /// Merges IDs under a key and returns the report. Expects the controller and the table to have the same rows as
    /// fetches in a new context.
    func merge(_ key: String, _ ids: [NSManagedObjectID]) throws -> TableUpdates? {
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: [view])
      let stored = try stack.reading { context in
        try context.all("Team", sort: ["name"]).map { team in
          try context.all("Player", "team == %@", [team], sort: ["age"]).map(\.objectID)
        }
      }
      let rows = (0..<controller.numberOfSections).map { section in
        controller.children(ofSection: section).map(\.objectID)
      }
      #expect(rows == stored)
      #expect(table.sections.map { $0.rows.map(\.objectID) } == stored)
      #expect(table.violations.isEmpty, "\(table.violations)")
      #expect(recorder.updates.count <= 1, "\(recorder.updates)")
      return recorder.report()
    }
  }

  private func run(_ body: (Scene) throws -> Void) throws {
    let stack = try SampleStack()
    let view = stack.newContext()
    try onQueues(of: view, stack.context) { try body(try Scene(stack, view)) }
  }

  private func path(_ section: Int, _ row: Int) -> IndexPath {
    IndexPath(row: row, section: section)
  }

  @Test("follow a batch insertion whose IDs are merged")
  func insertion() throws {
    try run { scene in
      let teams = try scene.background.batchInsert("Team", [["name": "AA"]])
      var report = try scene.merge(NSInsertedObjectsKey, teams)
      #expect(report?.insertedSections == [1])
      #expect(report?.insertedRows == [])
      #expect(scene.names == [["A1", "A2", "A3"], [], ["B1", "B2"]])
      // A batch insertion sets no relationship, so this player has no parent.
      let players = try scene.background.batchInsert("Player", [["name": "free", "age": 0]])
      report = try scene.merge(NSInsertedObjectsKey, players)
      #expect(report == nil)
      #expect(scene.names == [["A1", "A2", "A3"], [], ["B1", "B2"]])
    }
  }

  @Test("follow batch updates of children and parents whose IDs are merged")
  func update() throws {
    try run { scene in
      let moved = try scene.background.batchUpdate("Player", "name == 'A1'", ["age": 9])
      var report = try scene.merge(NSUpdatedObjectsKey, moved)
      #expect(report?.movedRows == [.init(old: path(0, 0), new: path(0, 2))])
      #expect(scene.names == [["A2", "A3", "A1"], ["B1", "B2"]])
      let renamed = try scene.background.batchUpdate("Player", "name == 'B1'", ["name": "B0"])
      report = try scene.merge(NSUpdatedObjectsKey, renamed)
      #expect(report?.reloadedRows == [.init(old: path(1, 0), new: path(1, 0))])
      #expect(report?.movedRows == [])
      #expect(scene.names == [["A2", "A3", "A1"], ["B0", "B2"]])
      let teams = try scene.background.batchUpdate("Team", "name == 'A'", ["name": "C"])
      report = try scene.merge(NSUpdatedObjectsKey, teams)
      // Either of the two swapped sections may be the moved one. Its rows move with it.
      #expect(report?.movedSections.count == 1)
      #expect(report?.movedRows == [])
      #expect(scene.names == [["B0", "B2"], ["A2", "A3", "A1"]])
    }
  }

  @Test("follow batch deletions of children and parents whose IDs are merged")
  func deletion() throws {
    try run { scene in
      let players = try scene.background.batchDelete("Player", "name == 'A2'")
      var report = try scene.merge(NSDeletedObjectsKey, players)
      #expect(report?.deletedRows == [path(0, 1)])
      #expect(report?.deletedSections == [])
      #expect(scene.names == [["A1", "A3"], ["B1", "B2"]])
      let teams = try scene.background.batchDelete("Team", "name == 'A'")
      report = try scene.merge(NSDeletedObjectsKey, teams)
      #expect(report?.deletedSections == [0])
      #expect(report?.deletedRows == [path(0, 1), path(0, 0)])
      #expect(scene.names == [["B1", "B2"]])
      // The players of the deleted team still exist, without a parent.
      let rest = try scene.background.batchDelete("Player")
      #expect(rest.count == 4)
      report = try scene.merge(NSDeletedObjectsKey, rest)
      #expect(report?.deletedRows == [path(0, 1), path(0, 0)])
      #expect(scene.names == [[]])
    }
  }
}
