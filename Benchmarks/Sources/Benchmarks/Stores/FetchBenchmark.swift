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
    let database = try FloorDatabase(store.url)
    let peer = try DatabaseQueue(path: store.url.path)
    var contest = Contest()
    contest.add("C") {
      var sum: Int64 = 0
      return try database.rows(
        floor_read_integers(database.handle, "SELECT \(names) FROM ZREADING", 10, &sum), sum)
    }
    contest.add("managed objects") {
      let context = store.context()
      return try context.performAndWait {
        var sum: Int64 = 0
        for object in try context.fetch(NSFetchRequest<Reading>(entityName: "Reading")) {
          sum &+= object.sum
        }
        return Int(sum)
      }
    }
    contest.add("GRDB records") {
      try peer.read { database in
        var sum: Int64 = 0
        for record in try ReadingRecord.fetchAll(database) { sum &+= record.sum }
        return Int(sum)
      }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    for (peer, bar) in [("C", 2.0), ("GRDB records", 1.0)] {
      report.add(
        "fetch objects of 10 integers, read all", "managed objects", against: peer, times,
        items: scale.rows, bar: bar)
    }
  }

  static func mixed(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.rows / 2
    let store = try StoreFolder()
    try store.insertCards(count)
    let database = try FloorDatabase(store.url)
    let peer = try DatabaseQueue(path: store.url.path)
    var contest = Contest()
    contest.add("C") {
      var sum: Int64 = 0
      return try database.rows(
        floor_read_mixed(
          database.handle,
          "SELECT ZT0, ZT1, ZT2, ZT3, ZI0, ZI1, ZI2, ZD0, ZD1, ZD2 FROM ZCARD", 4, 3, 3, &sum),
        sum)
    }
    contest.add("managed objects") {
      let context = store.context()
      return try context.performAndWait {
        var sum: Int64 = 0
        for object in try context.fetch(NSFetchRequest<Card>(entityName: "Card")) {
          sum &+= object.sum
        }
        return Int(sum)
      }
    }
    contest.add("GRDB records") {
      try peer.read { database in
        var sum: Int64 = 0
        for record in try CardRecord.fetchAll(database) { sum &+= record.sum }
        return Int(sum)
      }
    }
    let times = try contest.run(rounds: scale.storeRounds, .median)
    for (peer, bar) in [("C", 2.0), ("GRDB records", 1.0)] {
      report.add(
        "fetch objects of 4 texts, 6 numbers, read all", "managed objects", against: peer, times,
        items: count, bar: bar)
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
