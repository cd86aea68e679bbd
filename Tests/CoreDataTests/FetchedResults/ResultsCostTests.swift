import CoreData
import CoreDataTestSupport
import Testing

/// The contract's cost: "`performFetch`: one query. A change set: O(k log n), nothing proportional to n".
@Suite("What fetched results ask the store")
struct ResultsCostTests {
  struct Setting: CustomStringConvertible, Sendable {
    let batchSize, limit: Int
    let section: String?

    var description: String {
      "batch size \(batchSize), limit \(limit), section \(section ?? "none")"
    }

    static let all = [0, 20].flatMap { batchSize in
      [0, 10].flatMap { limit in
        [nil, "age", "team.name"].map {
          Setting(batchSize: batchSize, limit: limit, section: $0)
        }
      }
    }
  }

  @Test(
    "is one query for a fetch, and none for changes",
    .only(TestedStore.sqlKinds, "other stores are asked no queries"), arguments: Setting.all)
  func queries(_ setting: Setting) throws {
    let stack = try SampleStack()
    let store = try #require(stack.coordinator.persistentStores.first)
    let context = stack.context
    try context.performAndWait {
      let teams = ["Red", "Blue"].map { context.insert("Team", ["name": $0]) }
      for number in 0..<60 {
        context.insert(
          "Player", ["name": "p\(number)", "age": number / 3, "team": teams[number % 2]])
      }
      try context.save()
      context.reset()
      let held = try context.all("Team").map { ($0, $0.value(forKey: "name")) }
      let request = LiveScene.Request(
        sort: [setting.section, "age", "name"].compactMap { $0 }, section: setting.section,
        limit: setting.limit, batchSize: setting.batchSize)
      let controller = request.controller(in: context)
      let delegate = PathTaker()
      controller.delegate = delegate

      func queries(_ body: () throws -> Void) rethrows -> Int {
        let before = store.queryCount
        try body()
        return store.queryCount - before
      }
      #expect(try queries { try controller.performFetch() } == 1)
      let count = setting.limit == 0 ? 60 : setting.limit
      var rows: [NSManagedObject] = []
      let reading = queries {
        rows = controller.fetchedObjects ?? []
        for row in rows { _ = row.value(forKey: "name") }
      }
      #expect(rows.count == count)
      // Objects that are kept were read by the fetch, and a batch is read at a time.
      let batches = setting.batchSize == 0 ? 1 : (count + setting.batchSize - 1) / setting.batchSize
      #expect(reading <= (setting.batchSize == 0 && setting.limit == 0 ? 0 : batches))
      let all = try context.all("Player", sort: ["age", "name"])
      for row in all { _ = row.value(forKey: "name") }
      let changing = queries {
        for row in rows.prefix(10) {
          row.setValue("q", forKey: "name")
          context.processPendingChanges()
          if let path = controller.indexPath(forObject: row) {
            #expect(controller.object(at: path) === row)
          }
        }
      }
      #expect(changing == 0 && delegate.updates >= 10)
      withExtendedLifetime((held, all)) {}
    }
  }
}

private final class PathTaker: NSFetchedResultsControllerDelegate {
  var updates = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { updates += 1 }
}
