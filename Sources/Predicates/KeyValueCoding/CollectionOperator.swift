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

  /// Applies an operator to the values that a collection's elements have for a key path.
  ///
  /// `@count` ignores the key path; the other operators need one. `@count` counts missing elements, except for those of
  /// a set under the store's nil rule. `@avg` counts a missing number as 0 under Foundation's nil rule; it ignores
  /// missing values among dates, and under the store's nil rule. The other operators always ignore missing values.
  /// `@avg`, `@min` and `@max` of an empty collection return nil, and so does every operator on nil.
  static func apply(
    _ name: Substring, to object: Any?, keyPath: String, rules: KeyPathRules
  ) throws -> Any? {
    guard let operation = CollectionOperator(rawValue: String(name)) else {
      throw InvalidPredicateError("\"\(name)\" is not a key path operator")
    }
    guard let object = flattenOptional(object), !(object is NSNull) else { return nil }
    let collection = KeyValueCollection(object)
    guard
      let elements = collection?.elements
        ?? KeyValueCollection.dictionary(object).map({ Array($0.values) })
    else {
      throw InvalidPredicateError(
        "\(name) needs a collection, not a value of type \(type(of: object))")
    }
    if operation == .count {
      // A set in memory may contain a missing value. A store does not count it as an element.
      guard rules.nilRule == .store, collection?.isUnordered == true else { return elements.count }
      return elements.count { !Scalar($0).isNull }
    }
    guard !keyPath.isEmpty else {
      throw InvalidPredicateError("\(name) must be followed by a key")
    }
    // The limit prevents a stack overflow: each operator adds a level of recursion.
    guard keyPath.count(where: { $0 == "@" }) < maximumCount else {
      throw InvalidPredicateError("a key path has more than \(maximumCount) operators")
    }
    let values = try elements.map {
      try KeyPathEvaluator.value(of: $0, forKeyPath: keyPath, rules: rules)
    }
    return try operation.result(of: values.map(flattenOptional), rules.nilRule)
  }

  /// The maximum number of operators in one key path.
  private static let maximumCount = 20

  private func result(of values: [Any?], _ nilRule: NilRule) throws -> Any? {
    let present = values.compactMap { $0 }.filter { !($0 is NSNull) }
    switch self {
    case .count: return values.count
    case .sum: return try statistic(.sum, present, nilRule)
    // A missing date must not count as 0, which would be January 1, 2001.
    case .average where nilRule == .foundation && !present.contains { $0 is Date || $0 is NSDate }:
      // Apple's `@avg` counts a missing number as 0.
      let zeros = Array(repeating: 0 as Any, count: values.count - present.count)
      return try statistic(.average, present + zeros, nilRule)
    case .average: return try statistic(.average, present, nilRule)
    case .minimum: return try statistic(.minimum, present, nilRule)
    case .maximum: return try statistic(.maximum, present, nilRule)
    case .union: return present
    case .distinctUnion: return CollectionOperator.distinct(present)
    case .unionOfArrays, .unionOfSets: return try inner(present)
    case .distinctUnionOfArrays, .distinctUnionOfSets:
      return CollectionOperator.distinct(try inner(present))
    }
  }

  private func statistic(
    _ function: PredefinedFunction, _ values: [Any], _ nilRule: NilRule
  ) throws -> Any? {
    var statistic = Statistic(function, nilRule: nilRule)
    for value in values { try statistic.add(Scalar(value)) }
    return try statistic.result().boxed
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

  /// Returns the values without duplicates, in the order of their first occurrence.
  static func distinct(_ values: [Any]) -> [Any] {
    var seen: Set<Int> = []
    var result: [Any] = []
    for value in values {
      var hasher = Hasher()
      ValueEquality.hash(value, into: &hasher)
      let isNewHash = seen.insert(hasher.finalize()).inserted
      // A new hash proves that the value is new, so only values with a known hash are compared.
      if isNewHash || !result.contains(where: { ValueEquality.areEqual($0, value) }) {
        result.append(value)
      }
    }
    return result
  }
}
