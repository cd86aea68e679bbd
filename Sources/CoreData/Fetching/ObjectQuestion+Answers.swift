extension ObjectQuestion {
  /// Whether it is so of an object as the object is now.
  func holds(for object: NSManagedObject) throws -> Bool {
    try predicate.truth(with: object, nilRule: .store) ?? false
  }
}
