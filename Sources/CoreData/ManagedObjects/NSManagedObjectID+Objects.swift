extension NSManagedObjectID {
  /// Returns whether this is an object's ID, or its former temporary ID.
  @inline(__always)
  func identifies(_ object: NSManagedObject) -> Bool {
    if key == object.key { return origin === object.origin }
    // Different keys can identify the same object only if one of them is temporary.
    return (key < 0 || object.key < 0) && identifiesCurrently(object)
  }

  @inline(never)
  private func identifiesCurrently(_ object: NSManagedObject) -> Bool {
    let (own, other) = (current, object.ownID)
    return own.key == other.key && own.origin === other.origin
  }
}

extension RowKey {
  /// Makes the key of an object's row, or of its future row.
  init(_ object: NSManagedObject) {
    self.init(object.layout, object.primaryKey, object.origin)
  }
}

extension NSManagedObject: ObjectIDProviding {}
