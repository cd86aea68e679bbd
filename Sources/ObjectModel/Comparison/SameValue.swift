/// Whether two values that a model holds are the same.
enum SameValue {
  /// Values of attributes.
  static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    ValueEquality.areEqual(left, right)
  }

  /// The author's notes: none and an empty table say the same.
  static func areEqual(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    let left = left ?? [:]
    let right = right ?? [:]
    return left.count == right.count
      && left.allSatisfy { key, value in
        right[key].map { ValueEquality.areEqual(value, $0) } ?? false
      }
  }

  /// Facts that a file may leave out: what one side does not say is no difference.
  static func contradict<Fact: Equatable>(_ left: Fact?, _ right: Fact?) -> Bool {
    guard let left, let right else { return false }
    return left != right
  }
}
