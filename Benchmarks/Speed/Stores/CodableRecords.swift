import GRDB

/// A peer's record of ten integers, encoded and decoded by synthesized `Codable` methods.
struct CodableReading: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "ZREADING"
  let key, entity, version: Int64
  let n0, n1, n2, n3, n4, n5, n6, n7, n8, n9: Int64

  enum CodingKeys: String, CodingKey {
    case key = "Z_PK"
    case entity = "Z_ENT"
    case version = "Z_OPT"
    case n0 = "ZN0"
    case n1 = "ZN1"
    case n2 = "ZN2"
    case n3 = "ZN3"
    case n4 = "ZN4"
    case n5 = "ZN5"
    case n6 = "ZN6"
    case n7 = "ZN7"
    case n8 = "ZN8"
    case n9 = "ZN9"
  }

  init(row number: Int64) {
    (key, entity, version) = (number, 1, 1)
    let start = number * 31
    (n0, n1, n2, n3, n4) = (start, start + 1, start + 2, start + 3, start + 4)
    (n5, n6, n7, n8, n9) = (start + 5, start + 6, start + 7, start + 8, start + 9)
  }

  var sum: Int64 { n0 &+ n1 &+ n2 &+ n3 &+ n4 &+ n5 &+ n6 &+ n7 &+ n8 &+ n9 }
}

/// A peer's record of four texts and six numbers, decoded by synthesized `Codable` methods.
struct CodableCard: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "ZCARD"
  let t0, t1, t2, t3: String?
  let i0, i1, i2: Int64
  let d0, d1, d2: Double

  enum CodingKeys: String, CodingKey {
    case t0 = "ZT0"
    case t1 = "ZT1"
    case t2 = "ZT2"
    case t3 = "ZT3"
    case i0 = "ZI0"
    case i1 = "ZI1"
    case i2 = "ZI2"
    case d0 = "ZD0"
    case d1 = "ZD1"
    case d2 = "ZD2"
  }

  var sum: Int64 {
    let texts = look(at: t0) &+ look(at: t1) &+ look(at: t2) &+ look(at: t3)
    return texts &+ i0 &+ i1 &+ i2 &+ Int64(d0) &+ Int64(d1) &+ Int64(d2)
  }
}
