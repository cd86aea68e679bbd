import CoreData
import Floor
import Foundation
import GRDB

/// Measures fetching objects and reading their values.
enum FetchBenchmark {
  static var comparisons: [Comparison] { [integers, mixed] + keys }

  private static var integers: Comparison {
    let rows = Scale.current.rows
    return Comparison(
      name: "fetch objects of 10 integers, read all", items: rows, floor: "C", peers: Peer.grdb,
      bar: 2, peerBars: [Peer.records: 1], isLong: true, isInSeveralProcesses: true,
      isInFigure: true
    ) { contest in
      let store = try StoreFolder()
      try store.insertReadings(rows)
      let names = (0..<10).map { "ZN\($0)" }.joined(separator: ", ")
      let sql = "SELECT \(names) FROM ZREADING"
      try compete(
        in: store, &contest, sql,
        floor: { floor_read_integers($0, sql, 10, $1) },
        ours: { (reading: Reading) in reading.sum },
        statements: { row in
          var sum: Int64 = 0
          for place in 0..<10 { sum &+= row[place] }
          return sum
        },
        records: { (record: ReadingRecord) in record.sum },
        codable: { (record: CodableReading) in record.sum })
    }
  }

  private static var mixed: Comparison {
    let rows = Scale.current.rows / 2
    return Comparison(
      name: "fetch objects of 4 texts, 6 numbers, read all", items: rows, floor: "C",
      peers: Peer.grdb, bar: 2, peerBars: [Peer.records: 1], isLong: true,
      isInSeveralProcesses: true, isInFigure: true
    ) { contest in
      let store = try StoreFolder()
      try store.insertCards(rows)
      let sql = "SELECT ZT0, ZT1, ZT2, ZT3, ZI0, ZI1, ZI2, ZD0, ZD1, ZD2 FROM ZCARD"
      try compete(
        in: store, &contest, sql, floor: { floor_read_mixed($0, sql, 4, 3, 3, $1) },
        ours: { (card: Card) in card.sum },
        statements: { row in
          var sum: Int64 = 0
          for place in 0..<4 { sum &+= look(at: row[place]) }
          for place in 4..<7 { sum &+= row[place] }
          for place in 7..<10 { sum &+= Int64(row[place] as Double) }
          return sum
        },
        records: { (record: CardRecord) in record.sum },
        codable: { (record: CodableCard) in record.sum })
    }
  }

  /// Compares the contestants at reading all rows of an entity and adding up their values.
  private static func compete<
    Object: NSManagedObject, Record: FetchableRecord & TableRecord,
    Coded: FetchableRecord & TableRecord
  >(
    in store: StoreFolder, _ contest: inout Contest, _ sql: String,
    floor: @escaping (OpaquePointer, UnsafeMutablePointer<Int64>) -> Int64,
    ours: @escaping (Object) -> Int64, statements: @escaping (Row) -> Int64,
    records: @escaping (Record) -> Int64, codable: @escaping (Coded) -> Int64
  ) throws {
    let database = try FloorDatabase(store.url)
    let queue = try DatabaseQueue(path: store.url.path)
    contest.floor { _ in
      var sum: Int64 = 0
      let count = floor(database.handle, &sum)
      return try database.rows(count, sum)
    }
    contest.ours { _ in
      let context = store.context()
      return try context.performAndWait {
        let request = NSFetchRequest<Object>(entityName: "\(Object.self)")
        return try Int(context.fetch(request).reduce(0) { $0 &+ ours($1) })
      }
    }
    contest.peer(Peer.statements) { _ in
      try queue.read { database in
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql))
        var sum: Int64 = 0
        while let row = try rows.next() { sum &+= statements(row) }
        return Int(sum)
      }
    }
    contest.peer(Peer.records) { _ in
      try queue.read { try Int(Record.fetchAll($0).reduce(0) { $0 &+ records($1) }) }
    }
    contest.peer(Peer.codable) { _ in
      try queue.read { try Int(Coded.fetchAll($0).reduce(0) { $0 &+ codable($1) }) }
    }
  }

  private static var keys: [Comparison] {
    func comparison(
      _ name: String, bar: Double, _ fetch: @escaping (NSManagedObjectContext) throws -> Int
    ) -> Comparison {
      let rows = Scale.current.rows
      return Comparison(
        name: name, items: rows, floor: "C, keys", bar: bar, isInSeveralProcesses: true
      ) { contest in
        let store = try StoreFolder()
        try store.insertReadings(rows)
        let database = try FloorDatabase(store.url)
        contest.floor { _ in
          var sum: Int64 = 0
          return Int(
            floor_read_integers(database.handle, "SELECT Z_PK FROM ZREADING", 1, &sum))
        }
        contest.ours { _ in
          let context = store.context()
          return try context.performAndWait { try fetch(context) }
        }
      }
    }
    return [
      comparison("fetch as faults", bar: 4) {
        let request = NSFetchRequest<Reading>(entityName: "Reading")
        request.includesPropertyValues = false
        return try $0.fetch(request).count
      },
      comparison("fetch with a batch size", bar: 1.5) {
        let request = NSFetchRequest<Reading>(entityName: "Reading")
        request.fetchBatchSize = 20
        return try $0.fetchInBatches(request).count
      },
    ]
  }
}
