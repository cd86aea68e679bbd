/// Evaluates the union, intersection and difference of two collections.
///
/// Each element occurs once in the result. The result is a set if the left side is one; otherwise it is a list
/// with the elements of the left side first.
enum SetEvaluator {
  static func value(
    _ operation: ExpressionNode.SetOperation, _ left: Any?, _ right: Any?
  ) throws -> Any {
    let a = try elements(left, operation)
    let b = try elements(right, operation)
    let result =
      switch operation {
      case .union: CollectionOperator.distinct(a + b)
      case .intersect: CollectionOperator.distinct(a.filter { contains(b, $0) })
      case .minus: CollectionOperator.distinct(a.filter { !contains(b, $0) })
      }
    let isSet = KeyValueCollection(left)?.isUnordered == true
    // The kind of the result depends on the left side only, because Apple's documentation requires a
    // set on the left and allows any collection on the right.
    return isSet ? KeyValueCollection.set(of: result) : result
  }

  private static func elements(
    _ value: Any?, _ operation: ExpressionNode.SetOperation
  ) throws -> [Any] {
    if let elements = KeyValueCollection(value)?.elements { return elements }
    if let dictionary = KeyValueCollection.dictionary(value) { return Array(dictionary.values) }
    throw InvalidPredicateError("\(operation.rawValue) needs collections, not \(describe(value))")
  }

  private static func contains(_ elements: [Any], _ value: Any) -> Bool {
    elements.contains { ValueEquality.areEqual($0, value) }
  }
}
