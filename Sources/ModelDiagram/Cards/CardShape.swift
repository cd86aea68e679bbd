/// A measured card: its size, and its texts cut to fit.
struct CardShape: Hashable, Sendable {
  /// A row with its texts as drawn.
  struct Row: Hashable, Sendable {
    var name: String
    var type: String
    /// The middle of the row, from the card's upper edge.
    var middle: Double
    /// The left edge of the key symbol, relative to the card; nil if the row has none.
    var keyX: Double?
    /// The marks with their left edges and widths.
    var marks: [PlacedMark]
    /// The left edge of the name, relative to the card.
    var nameX: Double
  }

  /// A mark with its position in the row.
  struct PlacedMark: Hashable, Sendable {
    var mark: CardRow.Mark
    var x: Double
    var width: Double
  }

  var name: String
  var caption: String?
  var width: Double
  var height: Double
  var headerHeight: Double
  var rows: [Row]
  /// The upper edges of all groups of rows except the first. A line is drawn at each of them.
  var separators: [Double]
}
