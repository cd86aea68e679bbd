/// Compares values in models.
enum SameValue {
  /// Returns whether two attribute values are equal.
  static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    ValueEquality.areEqual(left, right)
  }

  /// Returns whether two user infos are equal; nil and an empty dictionary are equal.
  static func areEqual(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    let left = left ?? [:]
    let right = right ?? [:]
    return left.count == right.count
      && left.allSatisfy { key, value in
        right[key].map { ValueEquality.areEqual(value, $0) } ?? false
      }
  }

  /// Returns whether two facts differ. A fact that one model lacks does not count as a difference.
  static func contradict<Fact: Equatable>(_ left: Fact?, _ right: Fact?) -> Bool {
    guard let left, let right else { return false }
    return left != right
  }
}
