/// Evaluates an index into a collection: `tags[0]`, `tags[LAST]`, `names["de"]`.
enum IndexEvaluator {
  /// Returns the element at an index or key.
  ///
  /// Returns nil if the collection is nil, for FIRST and LAST of an empty collection, for an index beyond the last
  /// element, and for an unknown key. An index into a collection that is below 0 or not a whole number is an error, and
  /// so is an index into an object that is neither a collection nor a dictionary. The index SIZE returns the number of
  /// elements.
  static func value(of object: Any?, at index: Any?) throws -> Any? {
    guard let object = flattenOptional(object), !(object is NSNull) else { return nil }
    if let collection = KeyValueCollection(object) {
      return try element(of: collection, at: index)
    }
    guard let dictionary = KeyValueCollection.dictionary(object) else {
      throw InvalidPredicateError("an index needs a collection, not \(describe(object))")
    }
    if let symbol = index as? IndexSymbol, symbol == .size { return dictionary.count }
    if let index, KeyValueCollection.canBeHashed(index), let key = index as? AnyHashable,
      let value = dictionary[key]
    {
      return value
    }
    // Swift's lookup finds only keys that Swift considers equal; in predicates, numbers of
    // different types are equal too.
    return dictionary.first { ValueEquality.areEqual($0.key.base, index) }?.value
  }

  private static func element(
    of collection: KeyValueCollection, at index: Any?
  ) throws -> Any? {
    let elements = collection.elements
    if let symbol = index as? IndexSymbol {
      switch symbol {
      case .first: return elements.first
      case .last: return elements.last
      case .size: return elements.count
      }
    }
    guard let place = Scalar(index).integerValue else {
      throw InvalidPredicateError("the index of a collection is a number, not \(describe(index))")
    }
    guard place >= 0 else {
      throw InvalidPredicateError("the index \(place) of a collection is below 0")
    }
    return place < elements.count ? elements[Int(place)] : nil
  }
}
