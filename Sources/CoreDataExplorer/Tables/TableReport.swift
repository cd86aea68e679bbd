/// A report of a fetched results controller, with places counted through all sections.
struct TableReport: Encodable {
  /// The most rows whose contents come with a report; others are asked for when they are seen.
  static let toldRows = 200

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
  /// The counts of all sections; nil where there are none.
  var sectionCounts: [Int]?
  /// What rows that came, moved or changed hold now, by their new places.
  var rows: [String: TableRow] = [:]

  /// The places of rows that came, moved or changed.
  var touched: [Int] { inserted + moved.map { $0[1] } + updated }
}
