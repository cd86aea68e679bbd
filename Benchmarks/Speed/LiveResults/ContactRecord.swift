import GRDB

/// A row of the list that the peer, GRDB, shows. Rows are compared with those shown before. Columns are read by
/// position, which is faster than by name.
struct ContactRecord: FetchableRecord, Equatable {
  let key: Int64
  let team: String
  let rank: Int64
  let name: String

  init(row: Row) {
    key = row[0]
    team = row[1]
    rank = row[2]
    name = row[3]
  }

  static let sql = "SELECT Z_PK, ZTEAM, ZRANK, ZNAME FROM ZCONTACT ORDER BY ZTEAM, ZRANK, Z_PK"
}
