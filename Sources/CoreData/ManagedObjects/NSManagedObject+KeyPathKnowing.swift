extension NSManagedObject: KeyPathKnowing {
  /// Returns whether a key path passes through a to-many relationship.
  package func leadsToCollection(_ keys: ArraySlice<Substring>) -> Bool {
    var layout = layout
    for key in keys {
      guard let slot = layout.slot(named: String(key)) else { return false }
      if slot.kind == .toMany { return true }
      guard let destination = slot.relationship?.destination else { return false }
      layout = destination
    }
    return false
  }

  package func requireElements(_ keys: ArraySlice<Substring>) throws {
    guard let key = keys.first, let slot = layout.slot(named: String(key)), slot.kind == .composite
    else { return }
    // Operators, such as `@count`, are not elements.
    _ = try CompositeValue(slot, in: layout).target(of: keys.dropFirst().prefix { $0.first != "@" })
  }
}
