import Foundation
import GRDB

/// A peer's record of ten integers, in a table with the same columns as that of the store.
struct ReadingRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZREADING"
  /// The columns in a fixed order, because reading a column by position is faster than by name.
  static var databaseSelection: [any SQLSelectable] {
    [Column("Z_PK")] + (0..<10).map { Column("ZN\($0)") }
  }

  var key: Int64
  var n0, n1, n2, n3, n4, n5, n6, n7, n8, n9: Int64

  init(row number: Int64) {
    key = number
    let start = number * 31
    (n0, n1, n2, n3, n4) = (start, start + 1, start + 2, start + 3, start + 4)
    (n5, n6, n7, n8, n9) = (start + 5, start + 6, start + 7, start + 8, start + 9)
  }

  init(row: Row) {
    key = row[0]
    n0 = row[1]
    n1 = row[2]
    n2 = row[3]
    n3 = row[4]
    n4 = row[5]
    n5 = row[6]
    n6 = row[7]
    n7 = row[8]
    n8 = row[9]
    n9 = row[10]
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 1
    container["Z_OPT"] = 1
    container["ZN0"] = n0
    container["ZN1"] = n1
    container["ZN2"] = n2
    container["ZN3"] = n3
    container["ZN4"] = n4
    container["ZN5"] = n5
    container["ZN6"] = n6
    container["ZN7"] = n7
    container["ZN8"] = n8
    container["ZN9"] = n9
  }

  var sum: Int64 { n0 &+ n1 &+ n2 &+ n3 &+ n4 &+ n5 &+ n6 &+ n7 &+ n8 &+ n9 }
}

/// A peer's record of four texts and six numbers.
struct CardRecord: FetchableRecord, TableRecord {
  static let databaseTableName = "ZCARD"
  static var databaseSelection: [any SQLSelectable] {
    ["Z_PK", "ZT0", "ZT1", "ZT2", "ZT3", "ZI0", "ZI1", "ZI2", "ZD0", "ZD1", "ZD2"].map {
      Column($0)
    }
  }

  let key: Int64
  let texts: (String?, String?, String?, String?)
  let integers: (Int64, Int64, Int64)
  let doubles: (Double, Double, Double)

  init(row: Row) {
    key = row[0]
    texts = (row[1], row[2], row[3], row[4])
    integers = (row[5], row[6], row[7])
    doubles = (row[8], row[9], row[10])
  }

  var sum: Int64 {
    var sum = integers.0 &+ integers.1 &+ integers.2
    sum &+= Int64(doubles.0) &+ Int64(doubles.1) &+ Int64(doubles.2)
    for text in [texts.0, texts.1, texts.2, texts.3] {
      guard let text else { continue }
      sum &+= Int64(text.utf8.count) &+ Int64(text.utf8.first ?? 0)
    }
    return sum
  }
}
