/// Some rows of a table, and what is known of all.
struct TablePage: Encodable {
  /// More sections than these nobody looks through.
  static let shownSections = 10_000

  struct Section: Encodable, Equatable {
    let name: String
    let indexTitle: String
    /// The place of its first row among all.
    let start: Int
    let count: Int
  }

  /// Why not all rows are there.
  struct Limit: Encodable, Equatable {
    /// `rows`
    let reason: String
    let message: String
  }

  /// How many reports there were before: rows of another version may stand elsewhere; -1 before the live results
  /// are there.
  let version: Int
  /// How many rows there are; nil while nobody knows.
  @OrNull var total: Int?
  let columns: [TableColumn]
  @OrNull var sections: [Section]?
  /// Whether there are more sections than these.
  let moreSections: Bool
  let offset: Int
  var rows: [TableRow]
  /// What reading the rows took, in milliseconds.
  let time: Double
  @OrNull var limited: Limit?
  /// The attribute that rows have their order by, where somebody may drag them; nil elsewhere.
  @OrNull var reorderable: String?
}
