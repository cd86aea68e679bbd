import CoreData
import Floor
import Foundation

/// Measures the first fetch of live results (its time, its memory, and the time with a cache), and the search for
/// objects and index paths afterwards.
enum LiveFetchBenchmark {
  static var comparisons: [Comparison] {
    let rows = Scale.current.rows
    return [
      first(rows / 10, inSections: true), cached(rows / 10), first(rows, inSections: false),
      memory(rows), objects(rows), paths(rows),
    ]
  }

  private static func controller(
    _ context: NSManagedObjectContext, inSections: Bool, cache: String? = nil
  ) -> NSFetchedResultsController<Contact> {
    NSFetchedResultsController(
      fetchRequest: Contact.request(), managedObjectContext: context,
      sectionNameKeyPath: inSections ? "team" : nil, cacheName: cache)
  }

  /// Performs a fetch in a new context, and returns the number of rows.
  private static func fetch(
    _ store: StoreFolder, inSections: Bool, cache: String? = nil
  ) throws -> Int {
    let context = store.context()
    return try context.performAndWait {
      let controller = controller(context, inSections: inSections, cache: cache)
      try controller.performFetch()
      return controller.sections?.reduce(0) { $0 + $1.numberOfObjects } ?? 0
    }
  }

  private static func first(_ count: Int, inSections: Bool) -> Comparison {
    Comparison(
      name: "performFetch of \(count) rows" + (inSections ? " in 100 sections" : ""), items: count,
      floor: "C, sorted keys", bar: inSections ? 4 : 1.5, isLong: !inSections,
      isInFigure: !inSections
    ) { contest in
      let store = try StoreFolder()
      try store.insertContacts(count)
      let database = try FloorDatabase(store.url)
      contest.floor { _ in
        var sum: Int64 = 0
        let rows = floor_read_integers(database.handle, Contact.sql, 1, &sum)
        _ = try database.rows(rows, sum)
        return Int(rows)
      }
      contest.ours { _ in try fetch(store, inSections: inSections) }
    }
  }

  private static func cached(_ count: Int) -> Comparison {
    Comparison(
      name: "performFetch of \(count) rows in 100 sections, cached", items: count,
      floor: "performFetch", bar: 0.2
    ) { contest in
      let store = try StoreFolder()
      try store.insertContacts(count)
      let cache = TemporaryCache()
      _ = try fetch(store, inSections: true, cache: cache.name)
      contest.floor { _ in try fetch(store, inSections: true) }
      contest.ours { _ in try fetch(store, inSections: true, cache: cache.name) }
    }
  }

  /// A cache that is deleted with its owner.
  private final class TemporaryCache {
    let name = "benchmark \(UUID().uuidString)"
    deinit { NSFetchedResultsController<Contact>.deleteCache(withName: name) }
  }

  private static func memory(_ count: Int) -> Comparison {
    Comparison(
      name: "bytes a row of the results of \(count) rows", unit: "bytes", floor: "the bar", bar: 1
    ) { contest in
      let store = try StoreFolder()
      try store.insertContacts(count)
      // Fetches before measuring, because the first fetch of an entity creates what all later ones share.
      _ = try fetch(store, inSections: false)
      contest.ours { lap in
        let context = store.context()
        try context.performAndWait {
          let controller = controller(context, inSections: false)
          let before = floor_bytes_in_use()
          try controller.performFetch()
          lap.record(Double(floor_bytes_in_use() - before) / Double(count))
          withExtendedLifetime(controller) {}
        }
        return 0
      }
      contest.floor { lap in
        lap.record(48)
        return 0
      }
    }
  }

  /// Compares the search for the object of a row in many rows with that in few rows.
  private static func objects(_ count: Int) -> Comparison {
    places("object(at:) in \(count) rows", count) { controller, places, lap in
      var found: [Contact] = []
      lap.measured { found = places.map(controller.object(at:)) }
      return found.count
    }
  }

  /// Compares the search for the index path of an object in many rows with that in few rows.
  private static func paths(_ count: Int) -> Comparison {
    places("indexPath(forObject:) in \(count) rows", count) { controller, places, lap in
      let objects = places.map(controller.object(at:))
      return lap.measured {
        zip(places, objects).count { controller.indexPath(forObject: $1) == $0 }
      }
    }
  }

  private typealias Controller = NSFetchedResultsController<Contact>

  private static func places(
    _ name: String, _ count: Int,
    _ body: @escaping (Controller, [IndexPath], Lap) throws -> Int
  ) -> Comparison {
    let (few, found) = (10_000, 5_000)
    return Comparison(
      name: name, items: found, floor: "\(few) rows", bar: 2, isInSeveralProcesses: true
    ) { contest in
      func contestant(_ count: Int) throws -> Contest.Body {
        let store = try StoreFolder()
        try store.insertContacts(count)
        let context = store.context()
        let controller = controller(context, inSections: true)
        try context.performAndWait { try controller.performFetch() }
        return { lap in
          try context.performAndWait {
            let sections = controller.sections?.map(\.numberOfObjects) ?? []
            let places = (0..<found).map { _ in
              let section = Int.random(in: 0..<sections.count)
              return IndexPath(row: Int.random(in: 0..<sections[section]), section: section)
            }
            let result = try body(controller, places, lap)
            withExtendedLifetime(store) {}
            return result
          }
        }
      }
      try contest.ours(contestant(count))
      try contest.floor(contestant(few))
    }
  }
}
