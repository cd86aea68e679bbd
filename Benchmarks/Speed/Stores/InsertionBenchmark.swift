import CoreData
import Floor
import Foundation
import GRDB

/// Measures inserting rows of ten numbers: as a batch, as managed objects, as the peers' records, and with SQLite
/// only, each into a new file with the same table.
enum InsertionBenchmark {
  static let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + (0..<10).map { "ZN\($0)" })
  static let table =
    "CREATE TABLE ZREADING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
    + (0..<10).map { "ZN\($0) INTEGER" }.joined(separator: ", ") + ")"
  static let insertion =
    "INSERT INTO ZREADING (\(columns.joined(separator: ", "))) VALUES ("
    + columns.map { _ in "?" }.joined(separator: ", ") + ")"

  static var comparisons: [Comparison] { batches + [objects] }

  private static var batches: [Comparison] {
    let names = (0..<10).map { "n\($0)" }
    return [
      batch("row handler", bar: 1.25) { try $0.insertReadings($1) },
      batch("object handler") { store, count in
        var row: Int64 = 1
        try store.execute(
          NSBatchInsertRequest(
            entityName: "Reading",
            managedObjectHandler: { object in
              if row > count { return true }
              (object as? Reading)?.fill(row)
              row += 1
              return false
            }))
      },
      batch("dictionary handler") { store, count in
        var row: Int64 = 1
        try store.execute(
          NSBatchInsertRequest(
            entityName: "Reading",
            dictionaryHandler: { (values: NSMutableDictionary) in
              if row > count { return true }
              for place in 0..<10 { values[names[place]] = row * 31 + Int64(place) }
              row += 1
              return false
            }))
      },
    ]
  }

  private static func batch(
    _ handler: String, bar: Double? = nil, _ insert: @escaping (StoreFolder, Int) throws -> Void
  ) -> Comparison {
    let rows = Scale.current.rows
    return Comparison(
      name: "batch insert, 10 columns: \(handler)", items: rows, floor: "C, a row a statement",
      peers: bar == nil ? [] : [Peer.statements], bar: bar, isLong: bar != nil,
      isInFigure: bar != nil
    ) { contest in
      contest.floor { try floor(rows, $0) }
      contest.ours { lap in
        let store = try StoreFolder()
        try lap.measured { try insert(store, rows) }
        return 0
      }
      contest.peer(Peer.statements) { try statements(rows, $0) }
    }
  }

  private static var objects: Comparison {
    let count = Scale.current.rows / 10
    return Comparison(
      name: "insert objects of 10 attributes and save", items: count, floor: "C insert",
      peers: Peer.grdb + SQLAlchemy.peers, bar: 4, peerBars: [Peer.records: 0.5], isLong: true,
      isInFigure: true
    ) { contest in
      contest.floor { try floor(count, $0) }
      contest.ours { lap in
        let store = try StoreFolder()
        let context = store.context()
        try lap.measured {
          try context.performAndWait {
            for row in 1...Int64(count) {
              Reading(context: context).fill(row)
            }
            try context.save()
          }
        }
        return 0
      }
      contest.peer(Peer.statements) { try statements(count, $0) }
      contest.peer(Peer.records) { lap in
        try write(lap) { database in
          for row in 1...Int64(count) { try ReadingRecord(row: row).insert(database) }
        }
      }
      contest.peer(Peer.codable) { lap in
        try write(lap) { database in
          for row in 1...Int64(count) { try CodableReading(row: row).insert(database) }
        }
      }
      contest.peer(SQLAlchemy.name) { lap in
        let store = try StoreFolder()
        return try SQLAlchemy.run("insert", count, items: count, in: store.url, lap)
      }
    }
  }

  /// Inserts rows with SQLite only.
  static func floor(_ rows: Int, _ lap: Lap) throws -> Int {
    let store = try StoreFolder()
    let database = try FloorDatabase(store.file("Floor.sqlite"))
    try database.check(floor_run(database.handle, table))
    try lap.measured {
      try database.check(floor_insert(database.handle, insertion, 10, 1, Int64(rows)))
    }
    return 0
  }

  /// Inserts rows with a peer's statement, which is prepared once.
  private static func statements(_ rows: Int, _ lap: Lap) throws -> Int {
    try write(lap) { database in
      let statement = try database.makeStatement(sql: insertion)
      for row in 1...Int64(rows) {
        let start = row * 31
        statement.setUncheckedArguments([
          row, 1, 1, start, start + 1, start + 2, start + 3, start + 4, start + 5, start + 6,
          start + 7, start + 8, start + 9,
        ])
        try statement.execute()
      }
    }
  }

  /// Runs a peer's transaction on a new file.
  private static func write(_ lap: Lap, _ body: (Database) throws -> Void) throws -> Int {
    let store = try StoreFolder()
    let queue = try DatabaseQueue(path: store.file("Peer.sqlite").path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: table)
    }
    try lap.measured { try queue.write(body) }
    return 0
  }
}
