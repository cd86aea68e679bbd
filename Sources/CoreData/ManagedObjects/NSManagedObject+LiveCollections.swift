extension NSManagedObject {
  final func liveSet(forKey key: String) -> LiveSet {
    LiveSet(self, requireToMany(key, isOrdered: false))
  }

  final func liveOrderedSet(forKey key: String) -> LiveOrderedSet {
    .of(self, requireToMany(key, isOrdered: true))
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
