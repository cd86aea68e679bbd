extension NSComparisonPredicate {
  /// How strings are compared, with Apple's raw values.
  public struct Options: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of options from its bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Upper and lower case are the same, `[c]`.
    public static let caseInsensitive = Options(rawValue: 1)

    /// Letters with and without accents are the same, `[d]`.
    public static let diacriticInsensitive = Options(rawValue: 2)

    /// Both sides are prepared already and compared as they are, `[n]`; overrides the others.
    public static let normalized = Options(rawValue: 4)

    /// By the rules of the user's locale, `[l]`.
    ///
    /// Compared to Apple's Core Data: there without a public name.
    public static let localeSensitive = Options(rawValue: 8)
  }
}
