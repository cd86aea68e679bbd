import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite("Orders of strings")
struct StringOrderTests {
  /// Returns a random string of characters that are difficult to order: composed and decomposed accents,
  /// letters whose other case has several letters, digits of several scripts, marks without a base, full-width
  /// and half-width letters, emoji, and control characters.
  private func word(_ random: inout SeededGenerator) -> String {
    let scalars: [String] = [
      "a", "A", "b", "B", "ß", "ẞ", "ss", "SS", "é", "e\u{301}", "E\u{301}", "\u{301}", "ı", "i",
      "İ",
      "I", "1", "2", "10", "9", "01", "٣", "Å", "A\u{30A}", "Å", "Ａ", "ａ", "ﬁ", "fi", "Σ", "σ", "ς",
      "😀", "👨‍👩‍👧", "\u{0}", "\n", " ", "\u{A0}", "-", "_", ".", "あ", "ア", "ｱ", "中", "א", "\u{200D}",
      "\u{FFFD}", "ǆ", "ǅ", "Ǆ",
    ]
    return (0..<Int.random(in: 0...4, using: &random)).map { _ in
      scalars[Int.random(in: scalars.indices, using: &random)]
    }.joined()
  }

  @Test(arguments: StringComparison.allCases)
  func `string comparisons are total orders of random strings`(_ comparison: StringComparison) {
    var random = SeededGenerator("string order \(comparison)")
    let seed = random.seed
    func rank(_ a: String, _ b: String) -> Int { comparison.compare(a, b).rawValue }
    for _ in 0..<3_000 {
      let (a, b, c) = (word(&random), word(&random), word(&random))
      #expect(rank(a, a) == 0, "seed \(seed): \(a.debugDescription)")
      #expect(
        rank(a, b) == -rank(b, a), "seed \(seed): \(a.debugDescription) \(b.debugDescription)")
      let sorted = [a, b, c].sorted { rank($0, $1) < 0 }
      #expect(
        rank(sorted[0], sorted[1]) <= 0 && rank(sorted[1], sorted[2]) <= 0
          && rank(sorted[0], sorted[2]) <= 0,
        "seed \(seed): \(sorted.map(\.debugDescription))")
      if rank(a, b) == 0 {
        #expect(
          rank(a, c) == rank(b, c),
          "seed \(seed): \(a.debugDescription) = \(b.debugDescription), \(c.debugDescription)")
      }
    }
  }

  @Test(arguments: StringComparison.allCases)
  func `string comparisons equal the order of each string's sort key`(
    _ comparison: StringComparison
  ) {
    var random = SeededGenerator("bytes of strings \(comparison)")
    let seed = random.seed
    func bytes(_ text: String) -> [UInt8] {
      Array(text.utf8).withUnsafeBufferPointer { comparison.withBytes(of: $0) { Array($0) } }
    }
    for _ in 0..<3_000 {
      let (a, b) = (word(&random), word(&random))
      let (left, right) = (bytes(a), bytes(b))
      let order =
        left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
      #expect(
        comparison.compare(a, b).rawValue == order,
        "seed \(seed): \(a.debugDescription) \(b.debugDescription)")
    }
  }

  private static let localeSensitiveOptions: [NSComparisonPredicate.Options] = [
    [.localeSensitive], [.localeSensitive, .caseInsensitive],
    [.localeSensitive, .diacriticInsensitive],
    [.localeSensitive, .caseInsensitive, .diacriticInsensitive],
  ]

  /// The keys have a total order, so the comparisons have one too.
  @Test(arguments: localeSensitiveOptions)
  func `locale-sensitive predicates compare strings by the sort keys of long lists`(
    _ options: NSComparisonPredicate.Options
  ) throws {
    var random = SeededGenerator("locale-sensitive \(options.rawValue)")
    let seed = random.seed
    for _ in 0..<3_000 {
      let (a, b) = (word(&random), word(&random))
      let left = StringMatcher.folded(a, options: options)
      let right = StringMatcher.folded(b, options: options)
      let order =
        left.lexicographicallyPrecedes(right) ? -1 : right.lexicographicallyPrecedes(left) ? 1 : 0
      let context = "seed \(seed): \(a.debugDescription) \(b.debugDescription)"
      #expect(StringMatcher.compare(a, b, options: options).rawValue == order, "\(context)")
      for (type, expected): (NSComparisonPredicate.Operator, Bool) in [
        (.equalTo, order == 0), (.notEqualTo, order != 0), (.lessThan, order < 0),
        (.lessThanOrEqualTo, order <= 0), (.greaterThan, order > 0),
        (.greaterThanOrEqualTo, order >= 0),
      ] {
        let matcher = try StringMatcher(type, options: options, pattern: b)
        #expect(try matcher.matches(a) == expected, "\(context)")
      }
    }
  }

  @Test func `long strings have sort keys too`() {
    let text = String(repeating: "é中😀", count: 20_000)
    for comparison in StringComparison.allCases {
      func bytes(_ text: String) -> [UInt8] {
        Array(text.utf8).withUnsafeBufferPointer { comparison.withBytes(of: $0) { Array($0) } }
      }
      #expect(bytes(text).lexicographicallyPrecedes(bytes(text + "a")))
      #expect(bytes("").lexicographicallyPrecedes(bytes(text)))
    }
  }

  @Test func `the standard order distinguishes strings that collate equally`() {
    for ways in [["a\u{0}1", "a001", "a01", "a1"], ["a\u{301}", "á"]] {
      for (place, way) in ways.enumerated() {
        for other in ways[(place + 1)...] {
          #expect(StringComparison.localizedStandard.compare(way, other) == .orderedAscending)
        }
      }
    }
    #expect(StringComparison.localized.compare("a\u{301}", "á") == .orderedSame)
    #expect(StringComparison.localizedCaseInsensitive.compare("Straße", "STRAßE") == .orderedSame)
    #expect(StringComparison.localizedCaseInsensitive.compare("resume", "résumé") != .orderedSame)
  }

  @Test func `the standard order compares numbers by value`() {
    let names = ["a10", "A2", "a1", "b1", "a02", "Á3", "a 1", "10", "9"]
    let sorted = names.sorted {
      StringComparison.localizedStandard.compare($0, $1) == .orderedAscending
    }
    #expect(sorted.first == "9" && sorted[1] == "10" && sorted.last == "b1")
    func isBefore(_ a: String, _ b: String) -> Bool {
      (sorted.firstIndex(of: a) ?? 0) < (sorted.firstIndex(of: b) ?? 0)
    }
    #expect(isBefore("a1", "A2") && isBefore("A2", "a10") && isBefore("A2", "Á3"))
  }
}
