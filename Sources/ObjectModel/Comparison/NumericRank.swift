extension NSAttributeType {
  /// How many binary digits of whole numbers the type holds, and whether fractions; nil for what is
  /// no number.
  var numericRank: NumericRank? {
    switch self {
    // Stores keep a truth value as 0 or 1.
    case .booleanAttributeType: NumericRank(bits: 1, fractions: false)
    case .integer16AttributeType: NumericRank(bits: 15, fractions: false)
    case .integer32AttributeType: NumericRank(bits: 31, fractions: false)
    case .integer64AttributeType: NumericRank(bits: 63, fractions: false)
    case .floatAttributeType: NumericRank(bits: 24, fractions: true)
    case .doubleAttributeType: NumericRank(bits: 53, fractions: true)
    // A store keeps a decimal as a double.
    case .decimalAttributeType: NumericRank(bits: 53, fractions: true)
    default: nil
    }
  }
}

/// Which numbers a type holds.
struct NumericRank {
  /// Binary digits of whole numbers.
  var bits: Int
  /// Whether the type holds fractions.
  var fractions: Bool

  /// Whether every number of this type is one of another.
  func isHeld(by other: NumericRank) -> Bool {
    bits <= other.bits && (!fractions || other.fractions)
  }
}
