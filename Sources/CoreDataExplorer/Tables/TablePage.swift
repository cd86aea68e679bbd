/// Some rows of a table, and facts about all rows.
struct TablePage: Encodable {
  /// The maximum number of sections that are listed.
  static let shownSections = 10_000

  struct Section: Encodable, Equatable {
    let name: String
    let indexTitle: String
    /// The position of its first row among all rows.
    let start: Int
    let count: Int
  }

  /// Why not all rows are available.
  struct Limit: Encodable, Equatable {
    /// `rows`
    let reason: String
    let message: String
  }

  /// The number of reports before this page: rows of another version may be at other positions; -1 until the live
  /// results are available.
  let version: Int
  /// The number of rows; nil until it is known.
  @OrNull var total: Int?
  let columns: [TableColumn]
  @OrNull var sections: [Section]?
  /// Whether there are more sections than those listed.
  let moreSections: Bool
  let offset: Int
  var rows: [TableRow]
  /// The time to read the rows, in milliseconds.
  let time: Double
  @OrNull var limited: Limit?
  /// The attribute by which the rows are ordered and can be dragged; nil if they cannot be.
  @OrNull var reorderable: String?
}
