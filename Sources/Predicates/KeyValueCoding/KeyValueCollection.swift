/// A uniform view of a collection: an array, set or ordered set from Swift or Foundation.
package struct KeyValueCollection {
  /// The elements. Those of a set are in no particular order.
  package let elements: [Any]
  /// The kind of the collection, which determines the kind of derived collections.
  let kind: Kind

  enum Kind {
    case array, set, orderedSet
  }

  /// Creates a view of a collection; nil for any other value, including strings and dictionaries.
  package init?(_ value: Any?) {
    switch value {
    // This case comes first, because most values are plain, and each failed cast takes hundreds of
    // nanoseconds.
    case nil, is any ScalarConvertible: return nil
    case let orderedSet as NSOrderedSet:
      elements = orderedSet.array
      kind = .orderedSet
    case let array as [Any]:
      elements = array
      kind = .array
    case let set as NSSet:
      elements = set.allObjects
      kind = .set
    case let set as Set<AnyHashable>:
      elements = set.map(\.base)
      kind = .set
    case let set as UnhashedSet:
      elements = set.elements
      kind = .set
    default: return nil
    }
  }

  /// Whether the elements have no order.
  package var isUnordered: Bool { kind == .set }

  static func isUnordered(_ value: Any) -> Bool {
    KeyValueCollection(value)?.isUnordered ?? false
  }

  /// Returns a Swift or Foundation dictionary as a Swift dictionary; nil for any other value.
  package static func dictionary(_ value: Any?) -> [AnyHashable: Any]? {
    switch value {
    case nil, is any ScalarConvertible: return nil
    case let dictionary as [String: Any]: return dictionary
    case let dictionary as [AnyHashable: Any]: return dictionary
    case let dictionary as NSDictionary:
      var result: [AnyHashable: Any] = [:]
      for (key, value) in dictionary {
        if let key = key as? AnyHashable { result[key] = value }
      }
      return result
    default: return nil
    }
  }

  /// Returns whether a value may be hashed. Hashing an `NSOrderedSet` or `NSDecimalNumber` never returns, and any
  /// collection may contain one.
  static func canBeHashed(_ value: Any) -> Bool {
    !(value is NSDecimalNumber) && KeyValueCollection(value) == nil && dictionary(value) == nil
  }

  /// Returns the collection of the values that a function reads from each element.
  ///
  /// Arrays and ordered sets represent a missing value as `NSNull`. Sets contain each value once, and drop missing
  /// values unless `keepingNil` is true. The result is an array if a value is itself a collection, or if no set of
  /// Swift or Foundation can hold the values. For a set whose values cannot be hashed, it is an `UnhashedSet` if
  /// `keepingNil` is true.
  func mapping(keepingNil: Bool, _ read: (Any) throws -> Any?) rethrows -> Any {
    let values = try elements.map { element -> Any in
      flattenOptional(try read(element)) ?? NSNull()
    }
    if values.contains(where: { KeyValueCollection($0) != nil }) { return values }
    let isHashable = values.allSatisfy(Self.canBeHashed)
    switch kind {
    case .array: return values
    // NSOrderedSet itself would treat any two NSNull elements as different.
    case .orderedSet where isHashable:
      let distinct = CollectionOperator.distinct(values)
      let set = NSOrderedSet(array: distinct)
      // The counts differ if Foundation considers values equal that predicates distinguish.
      return set.count == distinct.count ? set : distinct
    case .orderedSet: return CollectionOperator.distinct(values)
    case .set:
      if keepingNil, !isHashable {
        return UnhashedSet(elements: CollectionOperator.distinct(values))
      }
      let present = keepingNil ? values : values.filter { !($0 is NSNull) }
      return Self.set(of: CollectionOperator.distinct(present))
    }
  }

  /// Returns a set of distinct values, or a list if some cannot be hashed.
  static func set(of distinct: [Any]) -> Any {
    if !distinct.allSatisfy(canBeHashed) { return distinct }
    // The counts differ if Swift considers values equal that predicates distinguish, such as the composed and the
    // decomposed form of a string.
    let set = Set(distinct.compactMap { $0 as? AnyHashable })
    return set.count == distinct.count ? set : distinct
  }

  /// The elements, with nested collections replaced by their elements.
  package var flattened: [Any] {
    elements.flatMap { KeyValueCollection($0)?.flattened ?? [$0] }
  }
}

/// A set of distinct values that cannot be hashed. Unlike an array, it is still recognized as a set, for
/// which `@count` ignores a missing value.
struct UnhashedSet {
  let elements: [Any]
}
