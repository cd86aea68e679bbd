extension NSManagedObject {
  final func liveSet(forKey key: String) -> LiveSet {
    LiveSet(self, requireToMany(key, isOrdered: false))
  }

  final func liveOrderedSet(forKey key: String) -> LiveOrderedSet {
    .of(self, requireToMany(key, isOrdered: true))
  }

  /// Returns the live set of a to-many relationship if `Value` is a mutable set type; nil for all other types and
  /// properties.
  final func mutableMembers<Value>(_ slot: Int) -> Value? {
    // This is checked first, because most properties are not to-many relationships, and the casts take longer.
    guard layout.slots[slot].kind == .toMany,
      Value.self is NSMutableSet.Type || Value.self is NSMutableOrderedSet.Type
    else { return nil }
    // A key path is being recorded: reading the property records the step.
    if flags.contains(.recording) {
      let members = externalValue(slot)
      return (members as? NSOrderedSet)?.mutableCopy() as? Value
        ?? (members as? NSSet)?.mutableCopy() as? Value
    }
    let slot = layout.slots[slot]
    let members: Any =
      slot.relationship?.isOrdered == true
      ? mutableOrderedSetValue(forKey: slot.name) : mutableSetValue(forKey: slot.name)
    return members as? Value
  }

  private func requireToMany(_ key: String, isOrdered: Bool) -> Int {
    guard let slot = layout.slot(named: key), slot.kind == .toMany,
      slot.relationship?.isOrdered == isOrdered
    else {
      stopProgram(
        "\(layout.name).\(key) is not an \(isOrdered ? "" : "un")ordered to-many relationship")
    }
    return slot.index
  }

  /// Not available, because no property of a managed object is an array.
  @available(
    *, unavailable, message: "Use mutableSetValue(forKey:) or mutableOrderedSetValue(forKey:)"
  )
  public final func mutableArrayValue(forKey key: String) -> NSMutableArray { NSMutableArray() }
}
