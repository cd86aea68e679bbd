/// The order of the values of sort keys. It is total, even for values of different types.
///
/// nil sorts first. Values of types without a common order, for which Apple's Core Data raises an
/// exception, sort by type: nil, numbers, strings, dates, data, UUIDs, URLs, others.
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
