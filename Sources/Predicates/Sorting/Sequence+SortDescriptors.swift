extension Sequence {
  /// The elements in the order of the descriptors: the first decides, the next where it finds two
  /// the same, and so on. Elements that all find the same keep their order.
  ///
  /// A mistake, such as an unknown key, stops the program with a message that names it.
  public func sorted(using descriptors: [NSSortDescriptor]) -> [Element] {
    stoppingOnError { try ordered(by: descriptors) }
  }

  /// The elements in the order of the descriptors.
  ///
  /// - Throws: an ``InvalidPredicateError`` for an unknown key or a selector that cannot be called.
  package func ordered(by descriptors: [NSSortDescriptor]) throws -> [Element] {
    // Swift's sort is stable.
    try sorted { left, right in
      for descriptor in descriptors {
        switch try descriptor.order(of: left, and: right) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return false
    }
  }
}
