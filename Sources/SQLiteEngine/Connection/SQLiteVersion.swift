import CSQLite
import StoreEngine

/// Properties of the SQLite version that this process uses.
enum SQLiteVersion {
  /// Whether checkpoints can lose pages that another connection commits, because this version has the WAL-reset bug.
  static let canLoseWALPages = canLoseWALPages(Int(sqlite3_libversion_number()))

  static func canLoseWALPages(_ number: Int) -> Bool {
    switch number {
    // The bug is fixed in 3.51.3; the fix was also released in 3.44.6 and 3.50.7 (sqlite.org/wal.html).
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
    default: number < 3_051_003
    }
  }

  /// Logs, once in a process, that other connections write to the write-ahead log of a store and that this SQLite
  /// version can then lose pages. Called only if `canLoseWALPages`.
  static func logLostPagesOnce() { _ = logOnce }

  private static let logOnce: Void = Log.storeNotice(
    "SQLite \(String(cString: sqlite3_libversion())) has a defect in write-ahead logs that several"
      + " connections write to (the WAL-reset bug); use 3.51.3 or later in every program that opens"
      + " the store")
}
