import CoreData
import CoreDataTestSupport
import Testing

/// The documented order of calls: deletions and insertions of sections, then deletions, insertions, moves and updates
/// of rows.
@Suite("A report of fetched results", .onEveryStore)
struct ReportOrderTests {
  @Test("has the promised order with every kind of change")
  func everyKind() throws {
    let players = [("a", 1), ("b", 2), ("c", 2), ("d", 2), ("e", 2), ("f", 5), ("g", 5)]
    let request = LiveScene.Request(sort: ["age", "name"], section: "age")
    try LiveScene.run(players, request) { scene in
      #expect(scene.names == [["a"], ["b", "c", "d", "e"], ["f", "g"]])
      let byName = Dictionary(
        uniqueKeysWithValues: try players.map { ($0.0, try scene[$0.0]) })
      for name in ["f", "d"] { byName[name]?.setValue(7, forKey: "number") }
      byName["g"]?.setValue(3, forKey: "age")
      byName["c"]?.setValue("z", forKey: "name")
      scene.context.insert("Player", ["name": "y", "age": 4])
      scene.context.insert("Player", ["name": "x", "age": 3])
      for name in ["a", "b"] { scene.context.delete(try #require(byName[name])) }
      #expect(
        scene.report() == [
          "-section 0 1", "+section 1 3", "+section 2 4", "-1.0", "-0.0", "+1.1", "+2.0",
          "1.1>0.2", "2.1>1.0", "~1.2=0.0", "~2.0=3.0",
        ])
      #expect(scene.names == [["d", "e", "z"], ["g", "x"], ["y"], ["f"]])
    }
  }

  @Test func `The controller has the new results when a report begins`() throws {
    try LiveScene.run([("Ann", 1), ("Bob", 2)], LiveScene.Request(section: "age")) { scene in
      let recorder = BeginningRecorder()
      scene.controller.delegate = recorder
      scene.context.delete(try scene["Ann"])
      scene.context.insert("Player", ["name": "Cem", "age": 3])
      scene.context.processPendingChanges()
      #expect(recorder.names == [["Bob", "Cem"]])
      #expect(recorder.sections == [["2", "3"]])
    }
  }

  @Test("is recorded as a violation if its order differs")
  func otherOrder() throws {
    try LiveScene.run([("Ann", 1)]) { scene in
      let table = RecordingTable(traps: false)
      table.load(scene.controller)
      let controller = Unchecked<NSFetchedResultsController<any NSFetchRequestResult>?>(nil)
      let witness = ControllerFinder { controller.value = $0 }
      let other = LiveScene.Request().controller(in: scene.context)
      other.delegate = witness
      try other.performFetch()
      let ann = try scene["Ann"]
      ann.setValue("Anna", forKey: "name")
      _ = scene.report()
      let reporting = try #require(controller.value)
      let path = IndexPath(row: 0, section: 0)
      table.controllerWillChangeContent(reporting)
      table.controller(reporting, didChange: ann, at: nil, for: .insert, newIndexPath: path)
      table.controller(reporting, didChange: ann, at: path, for: .delete, newIndexPath: nil)
      #expect(table.violations == ["a delete after an insert"])
    }
  }

  /// Rows with equal values are sorted by ID. New rows get permanent IDs, and perhaps another order, before an observer
  /// receives their IDs.
  @Test("is sent only once, even if permanent IDs reorder new rows")
  func reorderedIDs() throws {
    try LiveScene.run([("Ann", 1)]) { scene in
      let context = scene.context
      let coordinator = try #require(context.persistentStoreCoordinator)
      let first = try #require(coordinator.persistentStores.first)
      let second = try coordinator.addPersistentStore(
        ofType: first.type, configurationName: nil, at: StoreScope.current.newURL())
      var ids = scene.table.sections[0].rows.map(\.objectID)
      let observation = scene.controller.addObserver { ids = ids.applying($0) }
      for number in 0..<4 {
        let player = context.insert("Player", ["name": "\(number)", "age": 1])
        context.assign(player, to: number % 2 == 0 ? second : first)
      }
      #expect(scene.report() == ["+0.1", "+0.2", "+0.3", "+0.4"])
      #expect(scene.names[0].sorted() == ["0", "1", "2", "3", "Ann"])
      #expect(scene.names != [["Ann", "0", "1", "2", "3"]])
      #expect(ids == scene.table.sections[0].rows.map(\.objectID))
      #expect(ids == scene.controller.fetchedObjects?.map(\.objectID))
      try context.save()
      #expect(scene.report() == [])
      withExtendedLifetime(observation) {}
    }
  }
}

/// Records the results at the beginning of each report.
private final class BeginningRecorder: NSFetchedResultsControllerDelegate {
  var names: [[String]] = []
  var sections: [[String]] = []

  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    let players = (controller.fetchedObjects ?? []).compactMap { $0 as? NSManagedObject }
    names.append(players.map { $0["name"] ?? "" })
    sections.append((controller.sections ?? []).map(\.name))
  }
}

private final class ControllerFinder: NSFetchedResultsControllerDelegate {
  private let found: (NSFetchedResultsController<any NSFetchRequestResult>) -> Void

  init(_ found: @escaping (NSFetchedResultsController<any NSFetchRequestResult>) -> Void) {
    self.found = found
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) { found(controller) }
}
