import CoreData
import Foundation
import GRDB

/// Measures the time until a change is reported, beside the time that reading all rows again and comparing them takes.
enum LiveChangeBenchmark {
  /// Counts the changes reported to it.
  private final class Listener: NSFetchedResultsControllerDelegate {
    var reports = 0

    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {}
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) { reports += 1 }
  }

  static var comparisons: [Comparison] {
    let (rows, all) = (Scale.current.rows / 10, Scale.current.rows)
    return [
      change("one change in \(rows) rows, median", rows, bar: 0.001, of: 50),
      change("one change in \(rows) rows, 99th of 100", rows, bar: 0.004, of: 99),
      larger(all, than: rows), saves(rows), controllers(rows),
    ]
  }

  /// The number of changes in a run, which are made one after the other.
  private static let times = Scale.current.isQuick ? 300 : 2_000

  /// - Parameter percentile: The percentile of our times; the peer's value is its median.
  private static func change(
    _ name: String, _ rows: Int, bar: Double, of percentile: Int
  ) -> Comparison {
    Comparison(
      name: name, peers: [Peer.observation], peerBars: [Peer.observation: bar],
      isInFigure: percentile == 50
    ) {
      contest in
      let own = try Own(rows)
      let observation = try Observing(rows)
      contest.ours { lap in
        let all = try own.changes(times: times)
        lap.record(all[all.count * percentile / 100])
        return 0
      }
      contest.peer(Peer.observation) { lap in
        let all = try observation.changes(1, times: 5)
        lap.record(all[all.count / 2])
        return 0
      }
    }
  }

  private static func larger(_ many: Int, than few: Int) -> Comparison {
    Comparison(name: "one change in \(many) rows", floor: "\(few) rows", bar: 1.5) { contest in
      func body(_ own: Own) -> Contest.Body {
        { lap in
          let all = try own.changes(times: times)
          lap.record(all[all.count / 2])
          return 0
        }
      }
      try contest.ours(body(Own(many)))
      try contest.floor(body(Own(few)))
    }
  }

  private static func saves(_ rows: Int) -> Comparison {
    Comparison(
      name: "1000 changes in one save, \(rows) rows", peers: [Peer.observation],
      peerBars: [Peer.observation: 0.2]
    ) { contest in
      let own = try Own(rows)
      let observation = try Observing(rows)
      contest.ours { lap in
        let all = try own.saves(1_000, times: 3)
        lap.record(all[all.count / 2])
        return 0
      }
      contest.peer(Peer.observation) { lap in
        let all = try observation.changes(1_000, times: 3)
        lap.record(all[all.count / 2])
        return 0
      }
    }
  }

  /// Measures a change that affects one of many controllers on one context.
  private static func controllers(_ rows: Int) -> Comparison {
    Comparison(name: "one change, 100 controllers", floor: "one controller", bar: 3) { contest in
      let own = try Own(rows)
      func body(_ wanted: Int) -> Contest.Body {
        { lap in
          let all = try own.controllers(wanted, times: 500)
          lap.record(all[all.count / 2])
          return 0
        }
      }
      contest.ours(body(100))
      contest.floor(body(1))
    }
  }

  /// This library's live results over a store.
  private final class Own {
    private let store: StoreFolder
    private let count: Int
    private let context: NSManagedObjectContext
    private var number: Int64 = 1

    init(_ count: Int) throws {
      store = try StoreFolder()
      self.count = count
      try store.insertContacts(count)
      context = store.context()
    }

    private func controller(
      _ listener: Listener, _ predicate: NSPredicate? = nil
    ) throws -> NSFetchedResultsController<Contact> {
      let request = Contact.request()
      request.predicate = predicate
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team",
        cacheName: nil)
      controller.delegate = listener
      try controller.performFetch()
      return controller
    }

    private func change(_ object: Contact) {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      object.rank = (number >> 33) & 0x1ff_ffff
    }

    private func objects(
      _ controller: NSFetchedResultsController<Contact>, _ wanted: Int
    ) -> [Contact] {
      var random = SystemRandomNumberGenerator()
      let sections = controller.sections?.map(\.numberOfObjects) ?? []
      return (0..<wanted).map { _ in
        let section = Int.random(in: 0..<sections.count, using: &random)
        return controller.object(
          at: IndexPath(
            row: Int.random(in: 0..<sections[section], using: &random), section: section))
      }
    }

    /// Returns the nanoseconds from processing each change to the last call of the delegate, sorted.
    func changes(times: Int) throws -> [Double] {
      try context.performAndWait {
        defer { context.rollback() }
        let listener = Listener()
        let controller = try controller(listener)
        let objects = objects(controller, times)
        return try withExtendedLifetime(controller) {
          let times = objects.map { object in
            change(object)
            return Lap.nanoseconds { context.processPendingChanges() }
          }
          if listener.reports < times.count * 9 / 10 {
            throw FloorDatabase.Failure(description: "\(listener.reports) reports")
          }
          return times.sorted()
        }
      }
    }

    /// Returns the nanoseconds of each save of some changes, including the reports, sorted.
    func saves(_ size: Int, times: Int) throws -> [Double] {
      try context.performAndWait {
        let listener = Listener()
        let controller = try controller(listener)
        return try withExtendedLifetime(controller) {
          try (0..<times).map { _ in
            let objects = objects(controller, size)
            return try Lap.nanoseconds {
              for object in objects { change(object) }
              try context.save()
            }
          }.sorted()
        }
      }
    }

    /// Returns the nanoseconds of each change that affects one of some controllers, sorted.
    func controllers(_ wanted: Int, times: Int) throws -> [Double] {
      try context.performAndWait {
        defer { context.rollback() }
        let listener = Listener()
        let controllers = try (0..<wanted).map { number in
          try controller(listener, NSPredicate(format: "team == %@", "Team \(number + 100)"))
        }
        let objects = objects(controllers[0], times)
        return withExtendedLifetime(controllers) {
          objects.map { object in
            change(object)
            return Lap.nanoseconds { context.processPendingChanges() }
          }.sorted()
        }
      }
    }
  }

  /// The peer: an observation that reads all rows again, and the difference from the rows before.
  private final class Observing {
    private let store: StoreFolder
    private let count: Int
    private let queue: DatabaseQueue
    private var number: Int64 = 1

    init(_ count: Int) throws {
      store = try StoreFolder()
      self.count = count
      try store.insertContacts(count)
      queue = try DatabaseQueue(path: store.url.path)
    }

    /// Passes the observed records from the observation's queue to the waiting thread.
    private final class Box: @unchecked Sendable {
      var records: [ContactRecord] = []
      let arrived = DispatchSemaphore(value: 0)
    }

    func changes(_ size: Int, times: Int) throws -> [Double] {
      let box = Box()
      // A constant region, because the query does not depend on the rows that it reads.
      let observation = ValueObservation.trackingConstantRegion {
        try ContactRecord.fetchAll($0, sql: ContactRecord.sql)
      }
      let cancellable = observation.start(
        in: queue, scheduling: .async(onQueue: DispatchQueue(label: "peer")),
        onError: { _ in box.arrived.signal() },
        onChange: {
          box.records = $0
          box.arrived.signal()
        })
      defer { cancellable.cancel() }
      box.arrived.wait()
      var shown = box.records
      return try (0..<times).map { _ in
        try Lap.nanoseconds {
          try queue.write { database in
            for _ in 0..<size {
              number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
              try database.execute(
                sql: "UPDATE ZCONTACT SET ZRANK = ? WHERE Z_PK = ?",
                arguments: [
                  (number >> 33) & 0x1ff_ffff, (number >> 40) & 0xff_ffff % Int64(count) + 1,
                ])
            }
          }
          box.arrived.wait()
          let difference = box.records.difference(from: shown)
          shown = box.records
          if difference.isEmpty { throw FloorDatabase.Failure(description: "nothing changed") }
        }
      }.sorted()
    }
  }
}
