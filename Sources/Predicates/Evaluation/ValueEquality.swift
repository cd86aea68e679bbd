/// Compares values for equality like `isEqual:`: numbers by value regardless of their type, strings by
/// their bytes in UTF-8, collections by element, objects by their own equality.
package enum ValueEquality {
  /// Returns whether two values are equal in the sense of `==` in a predicate: nil and `NSNull` are equal.
  package static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    areEqual(Scalar(left), Scalar(right))
  }

  /// Returns whether two constants are equal. nil and `NSNull` are different, because they print differently.
  static func areIdentical(_ left: Any?, _ right: Any?) -> Bool {
    let left = flattenOptional(left)
    let right = flattenOptional(right)
    return (left is NSNull) == (right is NSNull) && areEqual(left, right)
  }

  package static func areEqual(_ left: Scalar, _ right: Scalar) -> Bool {
    switch (left, right) {
    case (.null, .null): return true
    case (.integer(let a), .integer(let b)): return a == b
    // Compare the bytes, as SQLite does: Swift considers composed and decomposed forms of a string
    // equal.
    case (.text(let a), .text(let b)): return a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): return a == b
    case (.data(let a), .data(let b)): return a == b
    case (.uuid(let a), .uuid(let b)): return a == b
    // URLs are compared by their text, because a column stores the text.
    case (.url(let a), .url(let b)): return a.absoluteString == b.absoluteString
    case (.other(let a), .other(let b)): return areEqualObjects(a, b)
    default:
      guard left.isNumber, right.isNumber else { return false }
      return ValueOrder.compareNumbers(left, right) == .orderedSame
    }
  }

  private static func areEqualObjects(_ left: Any, _ right: Any) -> Bool {
    if let a = left as? any IdentityComparable, let b = right as? any IdentityComparable {
      return a.comparableIdentity == b.comparableIdentity
    }
    if let a = KeyValueCollection(left), let b = KeyValueCollection(right) {
      return areEqualCollections(a, b)
    }
    if let a = left as? IndexSymbol, let b = right as? IndexSymbol { return a == b }
    if let a = KeyValueCollection.dictionary(left), let b = KeyValueCollection.dictionary(right) {
      return a.count == b.count
        && a.allSatisfy { key, value in b[key].map { areEqual(value, $0) } ?? false }
    }
    if let a = left as? NSObject, let b = right as? NSObject { return a.isEqual(b) }
    if let a = left as? AnyHashable, let b = right as? AnyHashable { return a == b }
    if let a = left as? AnyClass, let b = right as? AnyClass { return a == b }
    // Compare identities only for objects, because the cast puts any other value into a new box.
    return isObject(left) && isObject(right) && (left as AnyObject) === (right as AnyObject)
  }

  /// Compares two collections, regardless of their order if at least one of them is a set.
  private static func areEqualCollections(
    _ left: KeyValueCollection, _ right: KeyValueCollection
  ) -> Bool {
    let a = left.elements
    var b = right.elements
    guard a.count == b.count else { return false }
    guard left.isUnordered || right.isUnordered else {
      return zip(a, b).allSatisfy { areEqual($0, $1) }
    }
    for element in a {
      guard let index = b.firstIndex(where: { areEqual(element, $0) }) else { return false }
      // Each element may be matched only once, or `{1, 1, 2}` would equal `{1, 2, 2}`.
      b.remove(at: index)
    }
    return true
  }

  private static func isObject(_ value: Any) -> Bool { type(of: value) is AnyClass }

  /// Hashes a value so that equal values have equal hashes. Collections and dictionaries hash only their counts.
  static func hash(_ value: Any?, into hasher: inout Hasher) {
    let scalar = Scalar(value)
    switch scalar {
    case .null: hasher.combine(0)
    // Equal numbers of different types are equal as doubles. Unequal ones may be too, which only
    // costs a comparison.
    case .integer, .unsigned, .double, .decimal: hasher.combine(scalar.doubleValue)
    case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .date(let date): hasher.combine(date)
    // Hash only the length: hashing the content would read all bytes of each value, whereas a
    // comparison reads them only if the lengths are equal.
    case .data(let data): hasher.combine(data.count)
    case .uuid(let uuid): hasher.combine(uuid)
    case .url(let url): hasher.combine(url.absoluteString)
    case .other(let object):
      if let identified = object as? any IdentityComparable {
        hasher.combine(identified.comparableIdentity)
      } else if let collection = KeyValueCollection(object) {
        hashCollection(count: collection.elements.count, into: &hasher)
      } else if let symbol = object as? IndexSymbol {
        hasher.combine(symbol)
      } else if let dictionary = KeyValueCollection.dictionary(object) {
        hashCollection(count: dictionary.count, into: &hasher)
      } else if let object = object as? AnyHashable {
        hasher.combine(object)
      }
    }
  }

  static func hashCollection(count: Int, into hasher: inout Hasher) {
    hasher.combine("collection")
    hasher.combine(count)
  }
}
