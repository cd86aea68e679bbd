// The names that key-value coding finds a property by besides its own, as Apple's "Accessor Search Patterns" say:
// a key is no name but a part of the names of methods, and each property has a getter and a setter.

extension EntityLayout {
  /// The slot of the property that `setValue(_:forKey:)` sets for a key: that of the name, or the one whose setter
  /// is `set<Key>:`, in which the key's first letter is a capital.
  func slot(setBy key: String) -> Int? {
    if let slot = slotNumbers[key] { return slot }
    guard let first = key.first else { return nil }
    let small = first.lowercased()
    return slotNumbers[(small == String(first) ? first.uppercased() : small) + key.dropFirst()]
  }

  /// The slot of the property that `value(forKey:)` reads for a key that is no property's name: the one whose getter
  /// is `get<Key>`, `is<Key>` or `_<key>`.
  func slot(readBy key: String) -> Int? {
    guard let first = key.first else { return nil }
    let capitalized = first.uppercased() + key.dropFirst()
    return slotNumbers["get" + capitalized] ?? slotNumbers["is" + capitalized]
      ?? slotNumbers["_" + key]
  }

  /// The message for a key that the entity does not have, with the name that was probably meant.
  func undefinedKeyMessage(_ key: String) -> String {
    let near = NearestName.nearest(to: key, among: slots.map(\.name))
    return "the entity \(name) is not key value coding-compliant for the key \"\(key)\"."
      + (near.map { " Did you mean \"\($0)\"?" } ?? "")
  }
}
