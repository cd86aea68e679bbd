/// The orders of strings that sort descriptors know.
public struct StandardStringComparator: SortComparator, Codable, Sendable {
  /// As file managers list names: by the user's locale, without regard to case, numbers by their
  /// amount.
  public static let localizedStandard = Self(.localizedStandard)

  /// By the user's locale.
  public static let localized = Self(.localized)

  /// By code points.
  public static let lexical = Self(.literal)

  let comparison: StringComparison

  /// Forward or reverse.
  public var order: Foundation.SortOrder

  private init(_ comparison: StringComparison) {
    self.comparison = comparison
    order = .forward
  }

  /// One of the standard comparators in an order.
  public init(_ base: Self, order: Foundation.SortOrder = .forward) {
    comparison = base.comparison
    self.order = order
  }

  /// The order of two strings.
  public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    let result = comparison.compare(lhs, rhs)
    return order == .forward ? result : ValueOrder.reversed(result)
  }

  /// Reads a comparator by the selector that asks for it.
  public init(from decoder: any Decoder) throws {
    let selector = try decoder.singleValueContainer().decode(String.self)
    guard let comparison = StringComparison(rawValue: selector) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\(selector) is no standard comparison of strings"))
    }
    self.init(comparison)
  }

  /// Writes the comparator as the selector that asks for it; the order is its owner's.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(comparison.rawValue)
  }
}
