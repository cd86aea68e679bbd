/// What a comparison prepares when it is first evaluated. Most comparisons of a template never are.
final class ComparisonCaches: Sendable {
  /// The right side where the comparison kept nothing but its value.
  let rightExpression: NSExpression

  /// The prepared right side of a comparison with a constant string.
  let matcher = MatcherCache()

  /// The prepared elements of a constant list on the right.
  let membership = MembershipCache()

  init(rightConstant: Any) {
    rightExpression = NSExpression(forConstantValue: rightConstant)
  }
}
