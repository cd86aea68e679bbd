import GRDB

/// The peer's form: what a list shows, to be compared with what it showed. Columns are found by their
/// place in the statements that select them, which is faster than by their name.
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
