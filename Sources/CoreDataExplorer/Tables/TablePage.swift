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

  /// The reason why some rows may not be available.
  struct Limit: Encodable, Equatable {
    /// Always `rows`: the table may have more rows than the explorer loads.
    let reason: String
    let message: String
  }

  /// The version of the live results, which increases with each report; -1 until the live results are available. In a
  /// page with another version, the same rows may be at other positions.
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
  /// The attribute that orders the rows and that dragging a row changes; nil if rows cannot be dragged.
  @OrNull var reorderable: String?
}
