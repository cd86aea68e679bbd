import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite struct StringMatcherTests {
  private typealias Options = NSComparisonPredicate.Options
  private static let all: [Options] = [
    [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    .normalized, [.normalized, .caseInsensitive],
  ]

  private func matches(
    _ text: String, _ type: NSComparisonPredicate.Operator, _ pattern: String,
    _ options: Options = []
  ) throws -> Bool {
    try StringMatcher(type, options: options, pattern: pattern).matches(text)
  }

  @Test func `without options strings compare by code points`() throws {
    #expect(try matches("é", .equalTo, "é"))
    #expect(try !matches("e\u{301}", .equalTo, "\u{e9}"))
    #expect(StringMatcher.compare("Z", "a", options: []) == .orderedAscending)
    #expect(StringMatcher.compare("a", "ab", options: []) == .orderedAscending)
    #expect(StringMatcher.compare("\u{ffff}", "\u{1f600}", options: []) == .orderedAscending)
  }

  @Test func `options fold case and accents as Foundation does`() throws {
    #expect(try matches("ÉCOLE", .equalTo, "école", .caseInsensitive))
    #expect(try !matches("ÉCOLE", .equalTo, "ecole", .caseInsensitive))
    #expect(try matches("école", .equalTo, "ecole", .diacriticInsensitive))
    #expect(try matches("ÉCOLE", .contains, "col", [.caseInsensitive, .diacriticInsensitive]))
    #expect(try matches("Straße", .equalTo, "STRASSE", .caseInsensitive))
    #expect(try matches("ΑΒΓ", .beginsWith, "αβ", .caseInsensitive))
    #expect(try !matches("ABC", .equalTo, "abc", [.caseInsensitive, .normalized]))
  }

  /// Apple's reference of `NSLocaleSensitivePredicateOption` says that "strings to be compared using <, <=, =, =>, >
  /// should be handled in a locale-aware fashion", with the example `"straße" >[l] "strasse"`.
  @Test func `strings compare by the locale's collation if they are locale-sensitive`() throws {
    let (l, cl): (Options, Options) = ([.localeSensitive], [.localeSensitive, .caseInsensitive])
    let (dl, cdl): (Options, Options) = (
      [.localeSensitive, .diacriticInsensitive],
      [.localeSensitive, .caseInsensitive, .diacriticInsensitive]
    )
    #expect(try matches("straße", .greaterThan, "strasse", l))
    for options in [l, cl, dl, cdl] {
      #expect(try matches("ä", .lessThan, "z", options))
      #expect(try matches("a", .lessThanOrEqualTo, "Z", options))
      #expect(try matches("Z", .greaterThanOrEqualTo, "a", options))
      #expect(try matches("e\u{301}", .equalTo, "\u{e9}", options))
      #expect(try !matches("e\u{301}", .notEqualTo, "\u{e9}", options))
      #expect(StringMatcher.compare("é", "f", options: options) == .orderedAscending)
    }
    #expect(try matches("a", .lessThan, "A", l))
    #expect(try matches("É", .equalTo, "é", cl))
    #expect(try matches("e", .lessThan, "É", cl))
    #expect(try matches("É", .equalTo, "E", dl))
    #expect(try matches("e", .lessThan, "É", dl))
    #expect(try matches("Élan", .equalTo, "eLAN", cdl))
    #expect(try matches("Z", .lessThan, "a", [.localeSensitive, .normalized]))
    #expect(try !matches("e\u{301}", .equalTo, "\u{e9}", [.localeSensitive, .normalized]))
    // Apple documents no other operator, so these fold the strings, for which `[l]` alone has no rule.
    #expect(try !matches("ÉCOLE", .contains, "col", l))
    #expect(try matches("ÉCOLE", .contains, "col", cl))
    #expect(try !matches("e\u{301}", .beginsWith, "\u{e9}", l))
  }

  @Test func `the empty string is found nowhere`() throws {
    for options in Self.all {
      for text in ["", "abc"] {
        #expect(try !matches(text, .contains, "", options))
        #expect(try !matches(text, .beginsWith, "", options))
        #expect(try !matches(text, .endsWith, "", options))
      }
      #expect(try matches("", .like, "", options))
      #expect(try matches("", .like, "*", options))
      #expect(try !matches("abc", .like, "", options))
    }
  }

  @Test func `LIKE matches whole strings with stars, question marks and escapes`() throws {
    let cases: [(String, String, Bool)] = [
      ("abc", "abc", true), ("abc", "a*", true), ("abc", "*c", true), ("abc", "a?c", true),
      ("abc", "a?", false), ("abc", "b*", false), ("abc", "***", true), ("abc", "a*b*c*", true),
      ("aXbXc", "a*X*c", true), ("a*c", #"a\*c"#, true), ("abc", #"a\*c"#, false),
      ("a?", #"a\?"#, true), (#"a\"#, #"a\\"#, true), (#"a\"#, #"a\"#, true), ("a(b", "a(b", true),
      ("é😀x", "??x", true), ("a\nb", "a*b", true), ("mississippi", "m*issip*i", true),
      ("mississippi", "m*issip*s", false),
    ]
    for (text, pattern, expected) in cases {
      #expect(try matches(text, .like, pattern) == expected, "\(text) LIKE \(pattern)")
    }
  }

  @Test func `LIKE with many stars finishes quickly`() throws {
    let text = String(repeating: "a", count: 5_000)
    let pattern = String(repeating: "a*", count: 200) + "b"
    #expect(try !matches(text, .like, pattern))
  }

  @Test func `MATCHES must match the whole string`() throws {
    #expect(try matches("abc", .matches, "a.c"))
    #expect(try !matches("abcd", .matches, "a.c"))
    #expect(try !matches("abc\n", .matches, "abc"))
    #expect(try matches("b", .matches, "a|b"))
    #expect(try matches("ÉCOLE", .matches, "e.+e", [.caseInsensitive, .diacriticInsensitive]))
    #expect(try matches("tel 030", .matches, #"\w+ \d{3}"#))
    #expect(throws: InvalidPredicateError.self) { _ = try matches("a", .matches, "[") }
  }

  @Test func `fast paths find what plain Swift finds in random strings`() throws {
    var random = SeededGenerator("string matchers")
    let letters = ["a", "A", "b", "B", "é", "É", "e", "E", "ß", "s", "😀", "*", "?", " "]
    for _ in 0..<3_000 {
      func word(_ length: Int) -> String {
        (0..<Int.random(in: 0...length, using: &random)).map { _ in
          letters.randomElement(using: &random) ?? ""
        }.joined()
      }
      let text = word(8)
      let pattern = word(3)
      let options = Self.all.randomElement(using: &random) ?? []
      var compare: String.CompareOptions = []
      if !options.contains(.normalized) {
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
      }
      let a = Array(text.folding(options: compare, locale: nil).unicodeScalars)
      let b = Array(pattern.folding(options: compare, locale: nil).unicodeScalars)
      let isPart =
        !b.isEmpty && a.indices.contains { a[$0...].starts(with: b) }
      let context = "\(text) \(pattern) \(options.rawValue)"
      #expect(try matches(text, .equalTo, pattern, options) == (a == b), "\(context)")
      #expect(try matches(text, .notEqualTo, pattern, options) == (a != b), "\(context)")
      #expect(
        try matches(text, .lessThan, pattern, options) == a.lexicographicallyPrecedes(b),
        "\(context)")
      #expect(try matches(text, .contains, pattern, options) == isPart, "\(context)")
      #expect(
        try matches(text, .beginsWith, pattern, options) == (!b.isEmpty && a.starts(with: b)),
        "\(context)")
      #expect(
        try matches(text, .endsWith, pattern, options)
          == (!b.isEmpty && a.reversed().starts(with: b.reversed())), "\(context)")
      #expect(
        try matches(text, .like, pattern, options) == naiveLike(a[...], b[...]), "\(context)")
    }
  }

  private func naiveLike(
    _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return (text.startIndex...text.endIndex).contains { naiveLike(text[$0...], rest) }
    case "?": return !text.isEmpty && naiveLike(text.dropFirst(), rest)
    default: return text.first == first && naiveLike(text.dropFirst(), rest)
    }
  }
}
