/// A value seen as a collection: an array, set or ordered set of Swift or Foundation.
package struct KeyValueCollection {
  /// The elements, of a set in no particular order.
  package let elements: [Any]
  /// How the collection was made, so that another can be made like it.
  let kind: Kind

  enum Kind {
    case array, set, orderedSet
  }

  /// The collection that a value is; nil for any other value, text and dictionaries included.
  package init?(_ value: Any?) {
    switch value {
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

  /// A value seen as a dictionary, of Swift or Foundation; nil for any other value.
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

  /// Whether a value's hash can be asked for: Foundation's ordered set and its decimal number do not know theirs, and never
  /// end.
  static func canBeHashed(_ value: Any) -> Bool {
    !(value is NSDecimalNumber) && KeyValueCollection(value) == nil && dictionary(value) == nil
  }

  /// The collection of what each element has for a key: an array keeps the place of a missing
  /// value as `NSNull`, a set has each value once, and no missing ones unless asked to keep them.
  func mapping(keepingNil: Bool, _ read: (Any) throws -> Any?) rethrows -> Any {
    let values = try elements.map { element -> Any in
      flattenOptional(try read(element)) ?? NSNull()
    }
    if values.contains(where: { KeyValueCollection($0) != nil }) { return values }
    let isHashable = values.allSatisfy(Self.canBeHashed)
    switch kind {
    case .array: return values
    // Foundation's own elimination takes every NSNull for another.
    case .orderedSet where isHashable:
      let distinct = CollectionOperator.distinct(values)
      let set = NSOrderedSet(array: distinct)
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

  /// A set of different values; a list of those that cannot be hashed.
  static func set(of distinct: [Any]) -> Any {
    if !distinct.allSatisfy(canBeHashed) { return distinct }
    // Swift takes the decomposed form of a text for the same text; predicates do not.
    let set = Set(distinct.compactMap { $0 as? AnyHashable })
    return set.count == distinct.count ? set : distinct
  }

  /// The elements, those of collections inside in their place.
  package var flattened: [Any] {
    elements.flatMap { KeyValueCollection($0)?.flattened ?? [$0] }
  }
}

/// The different values of a set that cannot be hashed. Unlike a list of them it is still known for
/// a set, of which `count:` leaves out the missing value.
struct UnhashedSet {
  let elements: [Any]
}
