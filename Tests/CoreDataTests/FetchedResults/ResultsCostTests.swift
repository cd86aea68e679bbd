import CoreData
import CoreDataTestSupport
import Testing

/// The documented costs: `performFetch` executes one query, and applying k changed objects costs
/// O(k log n) for n rows.
@Suite("The queries of fetched results")
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
    "are one for a fetch, and none for changes",
    .only(TestedStore.sqlKinds, "other stores run no queries"), arguments: Setting.all)
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
      let delegate = UpdateCounter()
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
      // Without a batch size and a limit, the fetch has read all values; otherwise each batch is one query.
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

  /// When a player joins a team, no sort key of other rows changes.
  @Test(
    "are none for the members of a section when a member joins or an unrelated value changes",
    .only(TestedStore.sqlKinds, "other stores run no queries"), arguments: [0, 5])
  func members(_ limit: Int) throws {
    let stack = try SampleStack()
    let store = try #require(stack.coordinator.persistentStores.first)
    let context = stack.context
    try context.performAndWait {
      let red = context.insert("Team", ["name": "Red"])
      for number in 0..<200 { context.insert("Player", ["name": "p\(number)", "team": red]) }
      try context.save()
      let id = red.objectID
      context.reset()
      let team = context.object(with: id)
      _ = team.value(forKey: "name")
      let controller = LiveScene.Request(
        sort: ["team.name", "name"], section: "team.name", limit: limit, batchSize: 5
      ).controller(in: context)
      let delegate = UpdateCounter()
      controller.delegate = delegate
      try controller.performFetch()
      let before = store.queryCount
      context.insert("Player", ["name": "p", "team": team])
      context.processPendingChanges()
      team.setValue(Date(timeIntervalSince1970: 0), forKey: "founded")
      context.processPendingChanges()
      // The delegate has received the new row.
      #expect(delegate.updates > 0)
      #expect(store.queryCount == before)
      #expect(context.registeredObjects.count < 20)
      team.setValue("Blue", forKey: "name")
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["Blue"])
    }
  }
}

private final class UpdateCounter: NSFetchedResultsControllerDelegate {
  var updates = 0

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) { updates += 1 }
}
