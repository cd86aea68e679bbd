import CoreData
import Floor
import Foundation
import GRDB
import _FoundationICU

/// Measures a fetch in the order in which file managers list names: by the locale, with numbers by their value.
enum SortingBenchmark {
  static var comparisons: [Comparison] {
    let rows = Scale.current.rows / 10
    return [
      Comparison(
        name: "fetch \(rows) objects sorted by localizedStandardCompare", items: rows,
        floor: "C rows, ICU's sort keys", peers: [Peer.records]
      ) { contest in
        let store = try StoreFolder()
        try store.insertContacts(rows)
        let queue = try DatabaseQueue(path: store.url.path)
        let plain = try PlainStatement(store.url, "SELECT Z_PK, ZNAME FROM ZCONTACT")
        contest.floor { _ in try sortedByKeys(plain) }
        contest.ours { _ in
          let request = NSFetchRequest<Contact>(entityName: "Contact")
          request.sortDescriptors = [
            NSSortDescriptor(
              key: "name", ascending: true, selector: Selector("localizedStandardCompare:"))
          ]
          let context = store.context()
          return try context.performAndWait { try context.fetch(request).count }
        }
        contest.peer(Peer.records) { _ in
          let order = DatabaseCollation.localizedStandardCompare.name
          let sql =
            "SELECT Z_PK, ZTEAM, ZRANK, ZNAME FROM ZCONTACT ORDER BY ZNAME COLLATE \(order)"
          return try queue.read { try ContactRecord.fetchAll($0, sql: sql).count }
        }
      }
    ]
  }

  /// Reads rows, makes the sort key of each name once and sorts the keys by their bytes, which is the least work that
  /// sorting requires. Returns the number of rows.
  private static func sortedByKeys(_ rows: PlainStatement) throws -> Int {
    var status = U_ZERO_ERROR
    let collator = swift_ucol_open(Locale.current.identifier, &status)
    defer { swift_ucol_close(collator) }
    swift_ucol_setAttribute(collator, UCOL_NUMERIC_COLLATION, UCOL_ON, &status)
    var (units, key) = ([UInt16](), [UInt8](repeating: 0, count: 1024))
    var all: [(key: [UInt8], row: Int64)] = []
    try rows.run { row, text in
      units.removeAll(keepingCapacity: true)
      units.append(contentsOf: text.utf16)
      let length = swift_ucol_getSortKey(
        collator, units, Int32(units.count), &key, Int32(key.count))
      all.append((Array(key[..<Int(length)]), row))
    }
    all.sort { $0.key.lexicographicallyPrecedes($1.key) }
    return all.count
  }
}
