import CoreData
import Floor
import Foundation

/// The first fetch of live results: time, memory, and what a cache saves.
enum LiveFetchBenchmark {
  static func run(_ scale: Scale, _ report: inout Report) throws {
    try measure(scale.rows / 10, inSections: true, scale, &report)
    try measure(scale.rows, inSections: false, scale, &report)
  }

  private static func controller(
    _ context: NSManagedObjectContext, inSections: Bool, cache: String? = nil
  ) -> NSFetchedResultsController<Contact> {
    NSFetchedResultsController(
      fetchRequest: Contact.request(), managedObjectContext: context,
      sectionNameKeyPath: inSections ? "team" : nil, cacheName: cache)
  }

  private static func measure(
    _ count: Int, inSections: Bool, _ scale: Scale, _ report: inout Report
  ) throws {
    let store = try StoreFolder()
    try store.insertContacts(count)
    let database = try FloorDatabase(store.url)
    let cache = "benchmark \(UUID().uuidString)"
    defer { NSFetchedResultsController<Contact>.deleteCache(withName: cache) }
    func fetch(_ cache: String?) throws -> Int {
      let context = store.context()
      return try context.performAndWait {
        let controller = controller(context, inSections: inSections, cache: cache)
        try controller.performFetch()
        return controller.sections?.reduce(0) { $0 + $1.numberOfObjects } ?? 0
      }
    }
    var contest = Contest()
    contest.add("C, sorted keys") {
      var sum: Int64 = 0
      let rows = floor_read_integers(database.handle, Contact.sql, 1, &sum)
      _ = try database.rows(rows, sum)
      return Int(rows)
    }
    contest.add("performFetch") { try fetch(nil) }
    if inSections {
      _ = try fetch(cache)
      contest.add("with a valid cache") { try fetch(cache) }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    let title = "performFetch of \(count) rows" + (inSections ? " in 100 sections" : "")
    report.add(
      title, "performFetch", against: "C, sorted keys", times, items: count,
      bar: inSections ? 4 : 1.5)
    if inSections {
      report.add(
        title + ", cached", "with a valid cache", against: "performFetch", times, items: count,
        bar: 0.2)
      return
    }
    let context = store.context()
    try context.performAndWait {
      let controller = controller(context, inSections: false)
      let before = floor_bytes_in_use()
      try controller.performFetch()
      let bytes = Double(floor_bytes_in_use() - before) / Double(count)
      report.add(
        "bytes a row of the results of \(count) rows", bytes, against: "the bar", 48, bar: 1)
      withExtendedLifetime(controller) {}
    }
  }

  /// A row's object and an object's place, in few rows and in many.
  static func places(_ scale: Scale, _ report: inout Report) throws {
    var objects: [Double] = []
    var paths: [Double] = []
    for count in [10_000, scale.rows] {
      let store = try StoreFolder()
      try store.insertContacts(count)
      let context = store.context()
      try context.performAndWait {
        let controller = controller(context, inSections: true)
        try controller.performFetch()
        let sections = controller.sections?.map(\.numberOfObjects) ?? []
        var random = SystemRandomNumberGenerator()
        var reading: [Double] = []
        var finding: [Double] = []
        for _ in 0..<scale.storeRounds {
          let places = (0..<5_000).map { _ in
            let section = Int.random(in: 0..<sections.count, using: &random)
            return IndexPath(
              row: Int.random(in: 0..<sections[section], using: &random), section: section)
          }
          var found: [Contact] = []
          let timeOfReading = Contest.timed { found = places.map(controller.object(at:)) }
          reading.append(Double(timeOfReading) / Double(places.count))
          var matches = 0
          let timeOfFinding = Contest.timed {
            for (place, object) in zip(places, found)
            where controller.indexPath(forObject: object) == place { matches += 1 }
          }
          finding.append(Double(timeOfFinding) / Double(places.count))
          if matches != places.count { throw FloorDatabase.Failure(description: "wrong places") }
        }
        objects.append(reading.sorted()[reading.count / 2])
        paths.append(finding.sorted()[finding.count / 2])
      }
    }
    report.add(
      "object(at:) in \(scale.rows) rows", objects[1], against: "10000 rows", objects[0], bar: 2)
    report.add(
      "indexPath(forObject:) in \(scale.rows) rows", paths[1], against: "10000 rows", paths[0],
      bar: 2)
  }
}
