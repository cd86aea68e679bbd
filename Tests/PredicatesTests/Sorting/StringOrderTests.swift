import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite("Orders of strings")
struct StringOrderTests {
  /// Strings of what is hard: accents in both forms, case pairs of several letters, digits of
  /// several scripts, marks without a base, widths, emoji, controls.
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
  func `are total on random strings`(_ comparison: StringComparison) {
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

  @Test func `the standard order takes numbers by their amount`() {
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
