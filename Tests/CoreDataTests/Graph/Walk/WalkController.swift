import CoreData
import CoreDataTestSupport

/// A fetched results controller of a walk, and a table that applies the changes that the controller reports.
final class WalkController {
  let query: WalkQuery
  let controller: NSFetchedResultsController<NSManagedObject>
  private let table: CoreDataTestSupport.RecordingTable<Int>

  /// The identifiers that were read last. The row of a fault may be gone from the store before its deletion is merged,
  /// for example between the transactions of a history, and then the fault has no values.
  private final class KnownIdentifiers {
    private var identifiers: [NSManagedObjectID: Int] = [:]

    func identifier(of object: NSManagedObject) -> Int {
      let id = object.objectID
      guard let uid = object.value(forKey: "uid") as? Int else { return identifiers[id] ?? -1 }
      identifiers[id] = uid
      return uid
    }
  }

  /// - Parameter noteUse: Called with the ID of each object that the table reads, also in the middle of a step.
  init(
    _ query: WalkQuery, batchSize: Int, in context: NSManagedObjectContext,
    noteUse: @escaping (NSManagedObjectID) -> Void
  ) throws {
    self.query = query
    let request = try query.request()
    request.fetchBatchSize = batchSize
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    self.controller = controller
    let known = KnownIdentifiers()
    table = CoreDataTestSupport.RecordingTable(traps: false) { [unowned controller] in
      (controller.sections ?? []).map { section in
        .init(
          name: section.name,
          rows: (section.objects ?? []).map { object in
            guard let object = object as? NSManagedObject else { return -1 }
            noteUse(object.objectID)
            return known.identifier(of: object)
          })
      }
    }
    try controller.performFetch()
    table.reloadData()
    controller.keepUpdated(table)
  }

  /// Fetches again, as an application must after a reset.
  func fetchAgain() throws { try controller.performFetch(notifyingDelegate: true) }

  /// Describes an invalid update of the table, or how the rows of the controller or the table differ from those that a
  /// graph contains. Returns nil if the update is valid and the rows agree.
  func difference(from graph: NaiveGraph) -> String? {
    if let violation = table.violations.first { return "a controller of \(query): \(violation)" }
    table.clear()
    let expected = query.expected(graph)
    let fetched = (controller.fetchedObjects ?? []).map { $0.value(forKey: "uid") as? Int ?? -1 }
    if fetched != expected {
      return "a controller of \(query) has \(fetched) instead of \(expected)"
    }
    let shown = table.sections.flatMap(\.rows)
    return shown == expected
      ? nil : "a table of \(query) shows \(shown) instead of \(expected)"
  }
}
