extension NSComparisonPredicate {
  /// The ways to compare two values, with Apple's raw values.
  public enum Operator: UInt, Sendable {
    /// `<`
    case lessThan = 0
    /// `<=`
    case lessThanOrEqualTo = 1
    /// `>`
    case greaterThan = 2
    /// `>=`
    case greaterThanOrEqualTo = 3
    /// `==`
    case equalTo = 4
    /// `!=`
    case notEqualTo = 5
    /// `MATCHES`: the whole left string matches the regular expression on the right.
    case matches = 6
    /// `LIKE`: the whole left string matches a pattern with `*` and `?`.
    case like = 7
    /// `BEGINSWITH`
    case beginsWith = 8
    /// `ENDSWITH`
    case endsWith = 9
    /// `IN`: the right side contains the left one.
    case `in` = 10
    /// A method of the left value.
    case customSelector = 11
    /// `CONTAINS`: the left side contains the right one.
    case contains = 99
    /// `BETWEEN`: the left side lies between the two elements on the right, or equals one of them.
    case between = 100
  }

  /// Which elements of a collection on the left the comparison must be true for, with Apple's raw values.
  public enum Modifier: UInt, Sendable {
    /// The left value itself, even if it is a collection.
    case direct = 0
    /// `ALL`: every element; true for an empty collection.
    case all = 1
    /// `ANY`: at least one element.
    case any = 2
  }
}
