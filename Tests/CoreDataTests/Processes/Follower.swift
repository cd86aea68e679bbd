import CoreDataTestSupport
import Testing

@testable import CoreData

/// A context that automatically merges other coordinators' saves, with live results whose reports a
/// table applies.
final class Follower: @unchecked Sendable {
  let context: NSManagedObjectContext
  let controller: NSFetchedResultsController<NSManagedObject>
  let table = RecordingTable(traps: false)

  /// Performs the fetch. Everything in the follower belongs to its context's queue.
  init(
    _ coordinator: NSPersistentStoreCoordinator?, entity: String = "Player", sort: [String],
    section: String? = nil, predicate: String? = nil, limit: Int = 0, offset: Int = 0,
    batchSize: Int = 0
  ) throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.automaticallyMergesChangesFromParent = true
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.sortDescriptors = sort.map {
      $0.hasPrefix("-")
        ? NSSortDescriptor(key: String($0.dropFirst()), ascending: false)
        : NSSortDescriptor(key: $0, ascending: true)
    }
    request.fetchLimit = limit
    request.fetchOffset = offset
    request.fetchBatchSize = batchSize
    self.context = context
    controller = context.performAndWait {
      NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section,
        cacheName: nil)
    }
    try context.performAndWait {
      controller.delegate = table
      try controller.performFetch()
      table.load(controller)
    }
  }

  /// The values of a property in all rows.
  func column(_ key: String) -> [String] {
    table.sections.flatMap(\.rows).map { row in row.value(forKey: key).map { "\($0)" } ?? "-" }
  }

  /// Returns the calls that the table received since the last call to this method.
  func calls() -> [String] {
    context.performAndWait {
      defer { table.clear() }
      return table.calls
    }
  }

  /// Waits until a condition, evaluated on the context's queue, is true. Returns the seconds it
  /// took, or nil if the limit was exceeded.
  @discardableResult
  func wait(seconds limit: Double = 3600, until condition: () throws -> Bool) rethrows -> Double? {
    let start = DispatchTime.now().uptimeNanoseconds
    while true {
      if try context.performAndWait({ try condition() }) {
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
      }
      if Double(DispatchTime.now().uptimeNanoseconds - start) > limit * 1e9 { return nil }
      usleep(1000)
    }
  }
}

/// Ways in which two coordinators of this process share a store.
enum SharedStore: String, CaseIterable, CustomTestStringConvertible {
  case writeAheadLog = "a write-ahead log"
  case rollbackJournal = "a rollback journal"
  case polled = "a polled file"
  case memory = "a named in-memory database"

  var testDescription: String { rawValue }

  /// Opens the store with two coordinators.
  func open(
    _ model: NSManagedObjectModel = SampleStack.makeModel(), options: [AnyHashable: Any] = [:]
  ) throws -> Opened {
    let folder = try TemporaryFolder()
    let url = self == .memory ? TestedStore.newNamedURL() : folder.file("shared.sqlite")
    var options = options
    switch self {
    case .rollbackJournal: options[NSSQLitePragmasOption] = ["journal_mode": "DELETE"]
    case .polled: options[storePollingIntervalOption] = 0.02
    default: break
    }
    let here = try TestedStore.sqlite.open(model, at: url, options: options)
    let there = try TestedStore.sqlite.open(model, at: url, options: options)
    return Opened(
      folder: folder, url: url, here: try #require(here.context.persistentStoreCoordinator),
      there: there.context)
  }

  struct Opened {
    let folder: TemporaryFolder
    let url: URL
    let here: NSPersistentStoreCoordinator
    /// A context of the other coordinator.
    let there: NSManagedObjectContext

    /// Waits for three more polls of the watch, after which it must have noticed every change.
    func waitForPolls() {
      guard let store = here.persistentStores.first else { return }
      func polls() -> Int? { here.remoteChanges.pollCount(of: store) }
      guard let before = polls() else { return }
      for _ in 0..<300_000 where polls().map({ $0 < before + 3 }) == true { usleep(2000) }
    }
  }
}
