import Foundation

/// The operators on collections within key paths: `kids.@count`, `kids.@sum.age`.
enum CollectionOperator: String {
  case count = "@count"
  case sum = "@sum"
  case average = "@avg"
  case minimum = "@min"
  case maximum = "@max"
  case union = "@unionOfObjects"
  case distinctUnion = "@distinctUnionOfObjects"
  case unionOfArrays = "@unionOfArrays"
  case distinctUnionOfArrays = "@distinctUnionOfArrays"
  case unionOfSets = "@unionOfSets"
  case distinctUnionOfSets = "@distinctUnionOfSets"

  /// The result of an operator over what a key path gives for each element.
  ///
  /// `@count` ignores the key path, the others need one. `@sum` and `@avg` take a missing value
  /// for 0, the others leave it out; `@avg`, `@min` and `@max` of nothing are nil.
  static func apply(
    _ name: Substring, to object: Any?, keyPath: String
  ) throws -> Any? {
    guard let operation = CollectionOperator(rawValue: String(name)) else {
      throw InvalidPredicateError("\"\(name)\" is not an operator of key paths")
    }
    guard let object = flattenOptional(object), !(object is NSNull) else { return nil }
    guard
      let elements = KeyValueCollection(object)?.elements
        ?? KeyValueCollection.dictionary(object).map({ Array($0.values) })
    else {
      throw InvalidPredicateError(
        "\(name) needs a collection, not a value of type \(type(of: object))")
    }
    if operation == .count { return elements.count }
    guard !keyPath.isEmpty else {
      throw InvalidPredicateError("\(name) needs a key behind it")
    }
    let values = try elements.map { try KeyPathReader.value(of: $0, forKeyPath: keyPath) }
    return try operation.result(of: values.map(flattenOptional))
  }

  private func result(of values: [Any?]) throws -> Any? {
    let present = values.compactMap { $0 }.filter { !($0 is NSNull) }
    switch self {
    case .count: return values.count
    case .sum: return try Arithmetic.sum(present, of: rawValue)
    case .average:
      return values.isEmpty ? nil : try Arithmetic.average(present, count: values.count)
    case .minimum: return try Arithmetic.extreme(present, .orderedAscending, of: rawValue)
    case .maximum: return try Arithmetic.extreme(present, .orderedDescending, of: rawValue)
    case .union: return present
    case .distinctUnion: return CollectionOperator.distinct(present)
    case .unionOfArrays, .unionOfSets: return try inner(present)
    case .distinctUnionOfArrays, .distinctUnionOfSets:
      return CollectionOperator.distinct(try inner(present))
    }
  }

  private func inner(_ values: [Any]) throws -> [Any] {
    try values.flatMap { value in
      guard let collection = KeyValueCollection(value) else {
        throw InvalidPredicateError(
          "\(rawValue) needs collections, not a value of type \(type(of: value))")
      }
      return collection.elements
    }
  }

  /// The values without repetitions, in the order of their first appearance.
  static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<Int> = []
    var result: [Any] = []
    for value in values {
      var hasher = Hasher()
      ValueEquality.hash(value, into: &hasher)
      let isNewHash = seen.insert(hasher.finalize()).inserted
      if isNewHash || !result.contains(where: { ValueEquality.areEqual($0, value) }) {
        result.append(value)
      }
    }
    return result
  }
}
