import CoreData
import Floor
import Foundation
import GRDB

/// Fetching objects and reading what they hold.
enum FetchBenchmark {
  static func integers(_ scale: Scale, _ report: inout Report) throws {
    let store = try StoreFolder()
    try store.insertReadings(scale.rows)
    let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")
    try compare(
      "fetch objects of 10 integers, read all", scale.rows, in: store, scale, &report,
      { floor_read_integers($0, "SELECT \(names) FROM ZREADING", 10, $1) },
      { (reading: Reading) in reading.sum }, { (record: ReadingRecord) in record.sum })
  }

  static func mixed(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.rows / 2
    let store = try StoreFolder()
    try store.insertCards(count)
    let sql = "SELECT ZT0, ZT1, ZT2, ZT3, ZI0, ZI1, ZI2, ZD0, ZD1, ZD2 FROM ZCARD"
    try compare(
      "fetch objects of 4 texts, 6 numbers, read all", count, in: store, scale, &report,
      { floor_read_mixed($0, sql, 4, 3, 3, $1) },
      { (card: Card) in card.sum }, { (record: CardRecord) in record.sum })
  }

  /// All rows of an entity, each in the form of the contestant, and the sum of what they hold.
  private static func compare<Object: NSManagedObject, Record: FetchableRecord & TableRecord>(
    _ title: String, _ items: Int, in store: StoreFolder, _ scale: Scale,
    _ report: inout Report,
    _ floor: @escaping (OpaquePointer, UnsafeMutablePointer<Int64>) -> Int64,
    _ sumOfObject: @escaping (Object) -> Int64, _ sumOfRecord: @escaping (Record) -> Int64
  ) throws {
    let database = try FloorDatabase(store.url)
    let peer = try DatabaseQueue(path: store.url.path)
    var contest = Contest()
    contest.add("C") {
      var sum: Int64 = 0
      let count = floor(database.handle, &sum)
      return try database.rows(count, sum)
    }
    contest.add("managed objects") {
      let context = store.context()
      return try context.performAndWait {
        let request = NSFetchRequest<Object>(entityName: "\(Object.self)")
        return try Int(context.fetch(request).reduce(0) { $0 &+ sumOfObject($1) })
      }
    }
    contest.add("GRDB records") {
      try peer.read { try Int(Record.fetchAll($0).reduce(0) { $0 &+ sumOfRecord($1) }) }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    for (peer, bar) in [("C", 2.0), ("GRDB records", 1.0)] {
      report.add(title, "managed objects", against: peer, times, items: items, bar: bar)
    }
  }

  static func keys(_ scale: Scale, _ report: inout Report) throws {
    let store = try StoreFolder()
    try store.insertReadings(scale.rows)
    let database = try FloorDatabase(store.url)
    func fetch(_ configure: (NSFetchRequest<Reading>) -> Void) throws -> Int {
      let context = store.context()
      let request = NSFetchRequest<Reading>(entityName: "Reading")
      configure(request)
      return try context.performAndWait { try context.fetch(request).count }
    }
    var contest = Contest()
    contest.add("C, keys") {
      var sum: Int64 = 0
      return Int(
        floor_read_integers(database.handle, "SELECT Z_PK FROM ZREADING", 1, &sum))
    }
    contest.add("faults") { try fetch { $0.includesPropertyValues = false } }
    contest.add("batch size 20") {
      let context = store.context()
      let request = NSFetchRequest<Reading>(entityName: "Reading")
      request.fetchBatchSize = 20
      return try context.performAndWait { try context.fetchInBatches(request).count }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    report.add(
      "fetch as faults", "faults", against: "C, keys", times, items: scale.rows, bar: 4)
    report.add(
      "fetch with a batch size", "batch size 20", against: "C, keys", times, items: scale.rows,
      bar: 1.5)
  }
}
