import Foundation
import GRDB

/// The peer's form of ten whole numbers: a record of a table with the columns of the store's.
struct ReadingRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZREADING"
  var key: Int64
  var n0, n1, n2, n3, n4, n5, n6, n7, n8, n9: Int64

  init(row number: Int64) {
    key = number
    let start = number * 31
    (n0, n1, n2, n3, n4) = (start, start + 1, start + 2, start + 3, start + 4)
    (n5, n6, n7, n8, n9) = (start + 5, start + 6, start + 7, start + 8, start + 9)
  }

  init(row: Row) {
    key = row["Z_PK"]
    n0 = row["ZN0"]
    n1 = row["ZN1"]
    n2 = row["ZN2"]
    n3 = row["ZN3"]
    n4 = row["ZN4"]
    n5 = row["ZN5"]
    n6 = row["ZN6"]
    n7 = row["ZN7"]
    n8 = row["ZN8"]
    n9 = row["ZN9"]
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

/// The peer's form of four texts and six numbers.
struct CardRecord: FetchableRecord, TableRecord {
  static let databaseTableName = "ZCARD"
  let key: Int64
  let texts: (String?, String?, String?, String?)
  let integers: (Int64, Int64, Int64)
  let doubles: (Double, Double, Double)

  init(row: Row) {
    key = row["Z_PK"]
    texts = (row["ZT0"], row["ZT1"], row["ZT2"], row["ZT3"])
    integers = (row["ZI0"], row["ZI1"], row["ZI2"])
    doubles = (row["ZD0"], row["ZD1"], row["ZD2"])
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
