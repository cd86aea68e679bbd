import CoreData
import Floor
import Foundation
import GRDB

/// Inserting rows of ten numbers: as a batch, as managed objects, as the peer's records, by SQLite
/// alone. Each into a new file of the same form.
enum InsertionBenchmark {
  static let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + (0..<10).map { "ZN\($0)" })
  static let table =
    "CREATE TABLE ZREADING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
    + (0..<10).map { "ZN\($0) INTEGER" }.joined(separator: ", ") + ")"
  static let insertion =
    "INSERT INTO ZREADING (\(columns.joined(separator: ", "))) VALUES ("
    + columns.map { _ in "?" }.joined(separator: ", ") + ")"

  static func batches(_ scale: Scale, _ report: inout Report) throws {
    var contest = Contest()
    contest.add("C, a row a statement") { try floor(scale.rows) }
    contest.add("row handler") {
      let store = try StoreFolder()
      return try Contest.timed { try store.insertReadings(scale.rows) }
    }
    contest.add("dictionary handler") {
      let store = try StoreFolder()
      let context = store.context()
      var row: Int64 = 1
      let names = (0..<10).map { "n\($0)" }
      let request = NSBatchInsertRequest(
        entityName: "Reading",
        dictionaryHandler: { (values: NSMutableDictionary) in
          if row > scale.rows { return true }
          for place in 0..<10 { values[names[place]] = row * 31 + Int64(place) }
          row += 1
          return false
        })
      return try Contest.timed { _ = try context.performAndWait { try context.execute(request) } }
    }
    contest.add("object handler") {
      let store = try StoreFolder()
      let context = store.context()
      var row: Int64 = 1
      let request = NSBatchInsertRequest(
        entityName: "Reading",
        managedObjectHandler: { object in
          if row > scale.rows { return true }
          (object as? Reading)?.fill(row)
          row += 1
          return false
        })
      return try Contest.timed { _ = try context.performAndWait { try context.execute(request) } }
    }
    let times = try contest.run(rounds: scale.storeRounds, .itsOwnTimeMedian)
    for (name, bar) in [
      ("row handler", 1.25), ("object handler", nil), ("dictionary handler", nil),
    ] {
      report.add(
        "batch insert, 10 columns: \(name)", name, against: "C, a row a statement", times,
        items: scale.rows, bar: bar)
    }
  }

  static func objects(_ scale: Scale, _ report: inout Report) throws {
    let count = scale.rows / 10
    var contest = Contest()
    contest.add("C insert") { try floor(count) }
    contest.add("managed objects") {
      let store = try StoreFolder()
      let context = store.context()
      return try Contest.timed {
        try context.performAndWait {
          for row in 1...Int64(count) {
            Reading(context: context).fill(row)
          }
          try context.save()
        }
      }
    }
    contest.add("GRDB records") {
      let store = try StoreFolder()
      let queue = try DatabaseQueue(path: store.file("Peer.sqlite").path)
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: table)
      }
      return try Contest.timed {
        try queue.write { database in
          for row in 1...Int64(count) { try ReadingRecord(row: row).insert(database) }
        }
      }
    }
    let times = try contest.run(rounds: scale.storeRounds, .itsOwnTimeMedian)
    report.add(
      "insert objects of 10 attributes and save", "managed objects", against: "C insert", times,
      items: count, bar: 4)
    report.add(
      "insert objects of 10 attributes and save", "managed objects", against: "GRDB records", times,
      items: count, bar: 0.5)
  }

  /// Nanoseconds that SQLite alone takes.
  static func floor(_ rows: Int) throws -> Int {
    let store = try StoreFolder()
    let database = try FloorDatabase(store.file("Floor.sqlite"))
    try database.check(floor_run(database.handle, table))
    return try Contest.timed {
      try database.check(floor_insert(database.handle, insertion, 10, 1, Int64(rows)))
    }
  }
}
