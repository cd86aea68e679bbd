// Key-value coding finds a property by its name and also by other keys. The source is Apple's page "Accessor Search
// Patterns": key-value coding makes the names of methods from a key, and each property has a getter and a setter.

extension EntityLayout {
  /// Returns the slot of the property that `setValue(_:forKey:)` sets for a key: the one with this
  /// name, or the one with the setter `set<Key>:`, in which the key's first letter is capitalized.
  func slot(setBy key: String) -> Int? {
    if let slot = slotNumbers[key] { return slot }
    guard let first = key.first else { return nil }
    let small = first.lowercased()
    return slotNumbers[(small == String(first) ? first.uppercased() : small) + key.dropFirst()]
  }

  /// Returns the slot of the property that `value(forKey:)` reads for a key that is not a property's
  /// name: the one with the getter `get<Key>`, `is<Key>` or `_<key>`.
  func slot(readBy key: String) -> Int? {
    guard let first = key.first else { return nil }
    let capitalized = first.uppercased() + key.dropFirst()
    return slotNumbers["get" + capitalized] ?? slotNumbers["is" + capitalized]
      ?? slotNumbers["_" + key]
  }

  /// Returns the message for a key that the entity does not have, with the most similar name.
  func undefinedKeyMessage(_ key: String) -> String {
    let near = NearestName.nearest(to: key, among: slots.map(\.name))
    // The first sentence is Apple's text (`SavedObjectTests`).
    return "the entity \(name) is not key value coding-compliant for the key \"\(key)\"."
      + (near.map { " Did you mean \"\($0)\"?" } ?? "")
  }
}
