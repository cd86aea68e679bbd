/// The style of a piece of text.
struct TextStyle: Hashable, Sendable {
  /// The font size in points.
  var size: Double
  /// Whether the letters are bold.
  var isBold = false

  /// The heading of a card.
  static let heading = TextStyle(size: 13, isBold: true)
  /// The class name below a heading.
  static let caption = TextStyle(size: 10)
  /// A property.
  static let row = TextStyle(size: 12)
  /// A mark beside a property.
  static let mark = TextStyle(size: 9)
  /// The title of the picture.
  static let title = TextStyle(size: 17, isBold: true)
  /// The notes below the picture.
  static let note = TextStyle(size: 11)
}
