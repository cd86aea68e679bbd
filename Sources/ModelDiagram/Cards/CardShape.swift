/// A card with everything measured: its size, and the texts as they fit.
struct CardShape: Hashable, Sendable {
  /// A row with its texts as they are drawn.
  struct Row: Hashable, Sendable {
    var name: String
    var type: String
    /// The middle of the row, from the card's upper edge.
    var middle: Double
    /// Where the key stands, from the card's left edge; nil for none.
    var keyX: Double?
    /// The marks with their left edges and widths.
    var marks: [PlacedMark]
    /// Where the name begins.
    var nameX: Double
  }

  /// A mark with its place in the row.
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
  /// The upper edges of the groups of rows but the first, where a line is drawn.
  var separators: [Double]
}
