/// A report of a fetched results controller, with places counted through all sections.
struct TableReport: Encodable {
  /// The most rows whose contents come with a report; others are asked for when they are seen.
  static let toldRows = 200
  /// Of more changes than these readers are told to read everything anew.
  static let toldPlaces = 2_000

  struct InsertedSection: Encodable {
    let at: Int
    let name: String
    let indexTitle: String
  }

  struct Sections: Encodable {
    var deleted: [Int] = []
    var inserted: [InsertedSection] = []
  }

  let version: Int
  let total: Int
  var sections = Sections()
  /// Old places.
  var deleted: [Int] = []
  /// New places.
  var inserted: [Int] = []
  /// Old and new places.
  var moved: [[Int]] = []
  /// New places.
  var updated: [Int] = []
  /// The sections that have another count now: their new places and the counts; nil where there are none.
  var sectionCounts: [[Int]]?
  /// What rows that came, moved or changed hold now, by their new places.
  var rows: [String: TableRow] = [:]

  /// How many places it names.
  var placeCount: Int { deleted.count + inserted.count + moved.count + updated.count }

  /// The places of rows that came, moved or changed.
  var touched: [Int] { inserted + moved.map { $0[1] } + updated }
}
