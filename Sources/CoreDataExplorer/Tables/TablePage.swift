/// Some rows of a table, and what is known of all.
struct TablePage: Encodable {
  struct Section: Encodable, Equatable {
    let name: String
    let indexTitle: String
    /// The place of its first row among all.
    let start: Int
    let count: Int
  }

  /// How many reports there were before: rows of another version may stand elsewhere.
  let version: Int
  /// How many rows there are; nil while they are being counted.
  let total: Int?
  let columns: [TableColumn]
  let sections: [Section]?
  /// Whether there are more sections than these.
  let moreSections: Bool
  let offset: Int
  let rows: [TableRow]
  /// What reading the rows took, in milliseconds.
  let time: Double
}

/// A report of a fetched results controller, with places counted through all sections.
struct TableReport: Encodable {
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
}
