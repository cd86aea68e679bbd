import Foundation

/// The functions over the numbers of a collection.
enum Statistics {
  static func value(of function: PredefinedFunction, _ arguments: [Any?]) throws -> Any? {
    let values = try numbers(arguments, function)
    switch function {
    case .count: return values.count
    case .sum: return try Arithmetic.sum(values, of: function.rawValue)
    case .average:
      return values.isEmpty ? nil : try Arithmetic.average(values, count: values.count)
    case .minimum:
      return try Arithmetic.extreme(values, .orderedAscending, of: function.rawValue)
    case .maximum:
      return try Arithmetic.extreme(values, .orderedDescending, of: function.rawValue)
    case .median: return median(try doubles(values, function))
    case .mode: return mode(values)
    case .standardDeviation: return deviation(try doubles(values, function))
    default: throw InvalidPredicateError("\(function.rawValue) is not a function of many numbers")
    }
  }

  /// The numbers: the elements of one collection, or the arguments themselves.
  private static func numbers(
    _ arguments: [Any?], _ function: PredefinedFunction
  ) throws -> [Any] {
    if arguments.count == 1 {
      if let collection = KeyValueCollection(arguments[0]) {
        // Counting counts everything; the others leave out what has no value.
        return function == .count
          ? collection.elements : collection.elements.filter { !Scalar($0).isNull }
      }
      if Scalar(arguments[0]).isNull { return [] }
    }
    return arguments.compactMap(flattenOptional).filter { !($0 is NSNull) }
  }

  private static func doubles(
    _ values: [Any], _ function: PredefinedFunction
  ) throws -> [Double] {
    try values.map { try Arithmetic.number($0, function.rawValue).doubleValue ?? .nan }
  }

  private static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// All values that appear most often, in the order of their first appearance.
  private static func mode(_ values: [Any]) -> [Any] {
    let distinct = CollectionOperator.distinct(values)
    let counts = distinct.map { value in
      values.count { ValueEquality.areEqual($0, value) }
    }
    let most = counts.max() ?? 0
    return zip(distinct, counts).filter { $0.1 == most }.map(\.0)
  }

  /// The standard deviation of all values, as of a whole population.
  private static func deviation(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(values.count)).squareRoot()
  }
}
