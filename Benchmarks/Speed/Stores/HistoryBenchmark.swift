import CoreData
import Floor
import Foundation

/// Measures reading the history of a store.
enum HistoryBenchmark {
  static var comparisons: [Comparison] {
    let changes = Scale.current.rows / 10
    let transactions = 10
    return [
      Comparison(
        name: "read a history of \(changes) changes", items: changes, floor: "C, join"
      ) { contest in
        let store = try StoreFolder(
          nil, options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
        let size = changes / transactions
        for number in 0..<transactions {
          try store.insertReadings(size, from: number * size + 1)
        }
        let database = try FloorDatabase(store.url)
        contest.floor { _ in
          var sum: Int64 = 0
          return Int(
            floor_read_integers(
              database.handle,
              """
              SELECT t.Z_PK, c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK FROM ATRANSACTION t
              JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK ORDER BY t.Z_PK, c.Z_PK
              """, 5, &sum))
        }
        contest.ours { _ in
          let context = store.context()
          return try context.performAndWait {
            let nothing: NSPersistentHistoryToken? = nil
            let result = try context.execute(
              NSPersistentHistoryChangeRequest.fetchHistory(after: nothing))
            let history =
              (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
            return history?.reduce(0) { count, transaction in
              (transaction.changes ?? []).reduce(count) { $0 + ($1.changeID > 0 ? 1 : 0) }
            } ?? 0
          }
        }
      }
    ]
  }
}
