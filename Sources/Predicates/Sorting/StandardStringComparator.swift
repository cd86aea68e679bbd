/// The string comparators that sort descriptors support.
///
/// ```swift
/// let byName = SortDescriptor(\Person.lastName, comparator: .lexical)
/// print(people.sorted(using: byName)[0].lastName)  // Dijkstra
/// ```
public struct StandardStringComparator: SortComparator, Codable, Sendable {
  /// Sorts as file managers list names: by the user's locale, ignoring case, with numbers by value. Case decides only
  /// between strings that are otherwise equal.
  public static let localizedStandard = Self(.localizedStandard)

  /// Sorts by the rules of the user's locale.
  public static let localized = Self(.localized)

  /// Sorts by code point.
  public static let lexical = Self(.literal)

  let comparison: StringComparison

  /// Forward or reverse.
  public var order: Foundation.SortOrder

  private init(_ comparison: StringComparison) {
    self.comparison = comparison
    order = .forward
  }

  /// Creates one of the standard comparators with an order.
  public init(_ base: Self, order: Foundation.SortOrder = .forward) {
    comparison = base.comparison
    self.order = order
  }

  /// Returns the order of two strings.
  public func compare(_ lhs: String, _ rhs: String) -> ComparisonResult {
    let result = comparison.compare(lhs, rhs)
    return order == .forward ? result : ValueOrder.reversed(result)
  }

  /// Decodes a comparator from its selector.
  ///
  /// - Throws: A `DecodingError` if the value is not the selector of a standard comparison.
  public init(from decoder: any Decoder) throws {
    let selector = try decoder.singleValueContainer().decode(String.self)
    guard let comparison = StringComparison(rawValue: selector) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "\(selector) is not a standard string comparison"))
    }
    self.init(comparison)
  }

  /// Encodes the comparator as its selector, without its order, which the enclosing descriptor encodes.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(comparison.rawValue)
  }
}
