extension Sequence {
  /// Returns the elements in the order of the descriptors. Each descriptor decides among the elements that all
  /// preceding ones consider equal. Elements that are equal for all descriptors keep their order.
  ///
  /// An error, such as an unknown key, stops the program with a message that identifies it.
  ///
  /// ```swift
  /// let sorted = people.sorted(using: [NSSortDescriptor(key: "age", ascending: false)])
  /// print(sorted[0].lastName)  // Hopper
  /// ```
  public func sorted(using descriptors: [NSSortDescriptor]) -> [Element] {
    stoppingOnError { try ordered(by: descriptors) }
  }

  /// Returns the elements in the order of the descriptors.
  ///
  /// - Throws: The errors of `NSSortDescriptor.order(of:and:)`.
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
