/// The values that a comparison prepares when they are first needed, usually by an evaluation. Most comparisons in
/// templates are never evaluated.
final class ComparisonCaches: Sendable {
  /// The right side, if the comparison stores only its value.
  let rightExpression: NSExpression

  /// The prepared right side of a comparison with a constant string.
  let matcher = MatcherCache()

  /// The prepared elements of a constant list on the right.
  let membership = MembershipCache()

  init(rightConstant: Any) {
    rightExpression = NSExpression(forConstantValue: rightConstant)
  }
}
