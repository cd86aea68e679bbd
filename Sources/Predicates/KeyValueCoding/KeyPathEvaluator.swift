/// Reads the values of string key paths, like `value(forKeyPath:)`.
package enum KeyPathEvaluator {
  /// Returns the value at the end of a key path, such as `"team.name"` or `"kids.@max.age"`; nil if a
  /// step on the way is nil.
  ///
  /// A collection returns the value of a key for each of its elements. Under the store's nil rule, the result after a
  /// nil step is an empty collection if the object before that step knows that the path leads to a collection.
  ///
  /// - Throws: An ``InvalidPredicateError`` for an object without the key, or an operator that cannot be applied; or
  ///   the object's own error.
  package static func value(
    of object: Any?, forKeyPath keyPath: String, rules: KeyPathRules = .predicate(.foundation)
  ) throws -> Any? {
    // Most paths are a single key and need not be split.
    guard keyPath.utf8.contains(UInt8(ascii: ".")) || keyPath.utf8.first == UInt8(ascii: "@")
    else { return try value(of: object, forKey: keyPath, nilRule: rules.nilRule) }
    let keys = keyPath.split(separator: ".", omittingEmptySubsequences: false)
    return try value(of: object, keys[...], rules)
  }

  private static func value(
    of object: Any?, _ keys: ArraySlice<Substring>, _ rules: KeyPathRules
  ) throws -> Any? {
    var current = object
    var rest = keys
    while let key = rest.first {
      if key.first == "@" {
        return try CollectionOperator.apply(
          key, to: current, keyPath: rest.dropFirst().joined(separator: "."), rules: rules)
      }
      let owner = current
      if rest.count > 1, let collection = KeyValueCollection(owner) {
        // Read all keys up to the next operator from each element, because only the element knows whether a nil
        // represents an empty collection.
        let keys = rest.prefix { $0.first != "@" }
        current = try collection.mapping(keepingNil: rules.nilRule == .store) {
          try value(of: $0, keys, rules)
        }
        rest = rest.dropFirst(keys.count)
        continue
      }
      // Check the keys first: the value of a composite attribute, nil or a dictionary, accepts any key.
      if !rules.allowsUnknownElements, rest.count > 1 {
        try (owner as? any KeyPathKnowing)?.requireElements(rest)
      }
      current = try value(of: owner, forKey: String(key), nilRule: rules.nilRule)
      if flattenOptional(current) == nil {
        guard rules.nilRule == .store, let owner = owner as? any KeyPathKnowing,
          owner.leadsToCollection(rest)
        else { return nil }
        // In a store, a path to many objects with a nil step leads to no objects: the result is empty, not nil.
        current = [Any]()
      }
      rest = rest.dropFirst()
    }
    return current
  }

  /// Returns the value for one key.
  package static func value(
    of object: Any?, forKey key: String, nilRule: NilRule = .foundation
  ) throws -> Any? {
    // This check comes before the object's own keys, because an object need not know the key `self`.
    if key == "self" || key == "SELF" { return flattenOptional(object) }
    switch object {
    case nil: return nil
    // The throwing protocol comes first, because it refines the other one.
    case let object as any ThrowingKeyValueCoding: return try object.readValue(forKey: key)
    case let object as any NSKeyValueCoding: return object.value(forKey: key)
    default: break
    }
    guard let object = flattenOptional(object), !(object is NSNull) else { return nil }
    if let scalar = object as? any ScalarConvertible {
      let value = nilRule == .store ? scalar.scalar.keptDigits : scalar.scalar
      return try value.value(forKey: key).boxed
    }
    if let dictionary = object as? [String: Any] { return dictionary[key] }
    if let collection = KeyValueCollection(object) {
      return try collection.mapping(keepingNil: nilRule == .store) {
        try value(of: $0, forKey: key, nilRule: nilRule)
      }
    }
    if let dictionary = KeyValueCollection.dictionary(object) { return dictionary[key] }
    if let inner = object as? AnyHashable, inner.base is any NSKeyValueCoding {
      return try value(of: inner.base, forKey: key)
    }
    throw unknownKey(key, of: object)
  }

  static func unknownKey(_ key: String, of object: Any) -> InvalidPredicateError {
    InvalidPredicateError("\(type(of: object)) has no value for the key \"\(key)\"")
  }
}
