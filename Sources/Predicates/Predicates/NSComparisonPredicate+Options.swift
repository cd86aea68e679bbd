extension NSComparisonPredicate {
  /// Options for comparing strings, with Apple's raw values.
  ///
  /// ```swift
  /// let predicate = NSComparisonPredicate(
  ///   leftExpression: NSExpression(forKeyPath: "lastName"),
  ///   rightExpression: NSExpression(forConstantValue: "turing"),
  ///   modifier: .direct, type: .equalTo, options: [.caseInsensitive, .diacriticInsensitive])
  /// print(predicate.evaluate(with: people[1]))  // true
  /// ```
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates a set of options from its bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Ignores case, `[c]`.
    public static let caseInsensitive = Options(rawValue: 1)

    /// Ignores diacritics, `[d]`.
    public static let diacriticInsensitive = Options(rawValue: 2)

    /// Compares both sides as they are, because they are normalized already, `[n]`. Overrides the other options.
    public static let normalized = Options(rawValue: 4)

    /// Makes `[c]` and `[d]` follow the rules of the user's locale, `[l]`. Alone, this option has no effect, and
    /// MATCHES ignores it.
    ///
    /// The operators `==`, `!=`, `<`, `<=`, `>`, `>=`, BETWEEN, and IN with a list, compare by the locale's collation:
    /// "ä" precedes "z", and composed and decomposed forms of a character are equal. The order is that of a sort by
    /// `localizedCompare:`, and with `[cl]` that of a sort by `localizedCaseInsensitiveCompare:`; `[d]` also ignores
    /// diacritics. The other operators fold both sides by the rules of the locale, which has an effect only together
    /// with `[c]` or `[d]`.
    ///
    /// Compared to Apple's Core Data: Apple's option has no public name.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
