import StoreInspection

/// The widths of a table's columns, made to fit.
struct TableLayout: Equatable, Sendable {
  /// The blank columns between two columns of the table.
  static let gap = 2
  /// A column of text is not made narrower than this; a further column is left out instead.
  static let narrowestText = 8
  /// The widest a column gets where the width of the output has no limit.
  static let widestWithoutLimit = 60

  /// What a layout must know of a column.
  struct Column: Equatable, Sendable {
    /// The width of its widest value or its title.
    var natural: Int
    /// Whether its values may be cut.
    var mayShrink: Bool
  }

  /// The widths of the columns that are shown, the first columns of the table.
  let widths: [Int]

  /// Fits columns into a width, or, where that is nil, into as much as they need.
  ///
  /// Numbers, dates and identifiers keep their width. What is left is dealt out to the texts so
  /// that the short ones keep theirs and the long ones become equally wide. Where not even that
  /// fits, the last columns are left out; the first is always shown.
  init(_ columns: [Column], available: Int?) {
    guard let available else {
      widths = columns.map { $0.mayShrink ? min($0.natural, Self.widestWithoutLimit) : $0.natural }
      return
    }
    var shown = columns.count
    while shown > 1, Self.least(columns.prefix(shown)) > available { shown -= 1 }
    let kept = columns.prefix(shown)
    let fixed = kept.reduce(0) { $0 + ($1.mayShrink ? 0 : $1.natural) }
    let room = available - Self.gap * max(0, shown - 1) - fixed
    let cap = Self.cap(for: kept.filter(\.mayShrink).map(\.natural), room: room)
    widths = kept.map { $0.mayShrink ? min($0.natural, cap) : $0.natural }
  }

  /// The least width that these columns need.
  private static func least(_ columns: ArraySlice<Column>) -> Int {
    columns.reduce(gap * (columns.count - 1)) {
      $0 + ($1.mayShrink ? min($1.natural, narrowestText) : $1.natural)
    }
  }

  /// The largest width such that columns of these natural widths, none wider than it, fit the room.
  private static func cap(for naturals: [Int], room: Int) -> Int {
    var room = room
    let sorted = naturals.sorted()
    for (index, natural) in sorted.enumerated() {
      let share = room / (sorted.count - index)
      if natural > share { return max(share, 1) }
      room -= natural
    }
    return sorted.last ?? 0
  }
}
