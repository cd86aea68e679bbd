/// The order of the values of sort keys: total, whatever types meet.
///
/// nil comes first. Values of types without an order between them, where Apple's raise an
/// exception, stand in the order nil, numbers, text, dates, data, identifiers, locations, other.
package enum SortOrder {
  package static func compare(
    _ left: Any?, _ right: Any?, by comparison: StringComparison
  ) -> ComparisonResult {
    let left = Scalar(left)
    let right = Scalar(right)
    if case .text(let a) = left, case .text(let b) = right { return comparison.compare(a, b) }
    if let result = ValueOrder.compare(left, right) { return result }
    return ValueOrder.order(rank(left), rank(right))
  }

  private static func rank(_ value: Scalar) -> Int {
    switch value {
    case .null: 0
    case .integer, .unsigned, .double, .decimal: 1
    case .text: 2
    case .date: 3
    case .data: 4
    case .uuid: 5
    case .url: 6
    case .other: 7
    }
  }
}
