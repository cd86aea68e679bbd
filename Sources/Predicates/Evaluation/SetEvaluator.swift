import Foundation

/// The union, intersection and difference of two collections.
enum SetEvaluator {
  static func value(
    _ operation: ExpressionNode.SetOperation, _ left: Any?, _ right: Any?
  ) throws -> Any {
    let a = try elements(left, operation)
    let b = try elements(right, operation)
    switch operation {
    case .union: return CollectionOperator.distinct(a + b)
    case .intersect: return CollectionOperator.distinct(a.filter { contains(b, $0) })
    case .minus: return CollectionOperator.distinct(a.filter { !contains(b, $0) })
    }
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
