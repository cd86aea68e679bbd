extension NSAttributeType {
  /// The number of binary digits of integers that the type can hold, and whether it holds fractions; nil for a
  /// type that is not numeric.
  var numericRank: NumericRank? {
    switch self {
    // Stores represent a boolean as 0 or 1.
    case .booleanAttributeType: NumericRank(bits: 1, fractions: false)
    case .integer16AttributeType: NumericRank(bits: 15, fractions: false)
    case .integer32AttributeType: NumericRank(bits: 31, fractions: false)
    case .integer64AttributeType: NumericRank(bits: 63, fractions: false)
    case .floatAttributeType: NumericRank(bits: 24, fractions: true)
    case .doubleAttributeType: NumericRank(bits: 53, fractions: true)
    // A decimal has 38 digits. XML and binary stores keep all of them, and SQLite stores keep 64-bit integers exactly.
    case .decimalAttributeType: NumericRank(bits: 126, fractions: true)
    default: nil
    }
  }

  /// Returns whether the type has numbers that another numeric type cannot hold; false if one of the types is not
  /// numeric.
  package func losesNumbers(convertedTo new: NSAttributeType) -> Bool {
    guard let from = numericRank, let to = new.numericRank else { return false }
    return !from.isHeld(by: to)
  }
}

/// The range of numbers that a type can hold.
struct NumericRank {
  /// The number of binary digits of integers.
  var bits: Int
  /// Whether the type holds fractions.
  var fractions: Bool

  /// Returns whether another type can hold every number of this type.
  func isHeld(by other: NumericRank) -> Bool {
    bits <= other.bits && (!fractions || other.fractions)
  }
}
