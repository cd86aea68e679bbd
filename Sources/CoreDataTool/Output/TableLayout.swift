import StoreInspection

/// The widths of a table's columns, chosen to fit the terminal.
struct TableLayout: Equatable, Sendable {
  /// The number of spaces between two columns of the table.
  static let gap = 2
  /// The minimum width of a text column; if there is less room, the last columns are left out instead.
  static let narrowestText = 8
  /// The maximum width of a text column if the width of the output is unlimited.
  static let widestWithoutLimit = 60

  /// What the layout needs to know about a column.
  struct Column: Equatable, Sendable {
    /// The width of its widest value or its title.
    var natural: Int
    /// Whether its values may be truncated.
    var mayShrink: Bool
  }

  /// The widths of the shown columns, which are the first columns of the table.
  let widths: [Int]

  /// Fits columns into a width, or keeps their natural widths if `available` is nil.
  ///
  /// Numbers, dates and identifiers keep their width. The remaining room is divided among the text columns: short ones
  /// keep their width, and the long ones become equally wide. If even that does not fit, the last columns are left out;
  /// the first is always shown.
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

  /// Returns the minimum width of these columns together.
  private static func least(_ columns: ArraySlice<Column>) -> Int {
    columns.reduce(gap * (columns.count - 1)) {
      $0 + ($1.mayShrink ? min($1.natural, narrowestText) : $1.natural)
    }
  }

  /// Returns the largest width limit with which columns of these natural widths fit into the room.
  private static func cap(for naturals: [Int], room: Int) -> Int {
    var room = room
    // Start with the narrowest column, because the wider columns share the room that it does not need.
    let sorted = naturals.sorted()
    for (index, natural) in sorted.enumerated() {
      let share = room / (sorted.count - index)
      if natural > share { return max(share, 1) }
      room -= natural
    }
    return sorted.last ?? 0
  }
}
