import FixtureSupport
import Foundation
import Predicates
import Testing

/// Texts that are almost predicates.
@Suite struct MutationTests {
  private static let seeds = [
    "a == 1 AND b < 2.5 OR NOT c = 'x'", "!a => 1 && b =< 2 || c <> nil", "a BETWEEN {1, $x}",
    "#size == 3 AND k.#any.last > 0xFF",
    "c BEGINSWITH[cd] 'te' OR c LIKE 't?x*' OR c MATCHES '[a-z]+'",
    "ANY kids.a > 1 AND ALL kids.b CONTAINS 'x' OR NONE kids.a IN {1, 2}",
    "SUBQUERY(kids, $k, $k.a == 1 AND $k.b != $x).@count > 0",
    "TERNARY(a > 1, a, b) == CAST(5, 'NSDate')",
    "FUNCTION(c, 'stringByAppendingString:', 'x') == FUNCTION('a', 'uppercaseString')",
    "kids.@sum.a + kids.@avg.a > (kids.@max.a).b AND @count > 1",
    "a[FIRST] == a[LAST] AND a[SIZE] == 2 OR a['k'][0] == b[$x]",
    "1 + 2 * 3 - 4 / 5 ** 2 == (a | b & 3 ^ 1) << 2 >> 1", "a UNION b MINUS {1} INTERSECT c == {}",
    "sum:(kids.a) > average:({1, 2}) AND stddev:({1, 2}) < median:(a) OR mode:({1}) == {1}",
    "\\u0061\\141\\x61 == '\\ud83d\\ude00\\n' AND \"\\\"\" != .5e-3",
    "TRUEPREDICATE AND (FALSEPREDICATE OR SELF == ANYKEY)",
    "SELF isKindOfClass: b OR $a.$b == $x.a.b[0] AND a == %%",
    "a == CAST('nan', 'NSNumber') OR a == -9223372036854775808",
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F == a OR modulus:by:(7, 2) == @YES",
    "a == FETCH(b, c, NO) OR a UTI-EQUALS 'x' OR $v := 2",
  ]

  private static let words = [
    "(", ")", "[", "]", "{", "}", "'", "\"", "\\", ".", ",", "#", "$", "@", "%", "!", "-", "1", "a",
    "$x", " ", "AND", "OR",
    "NOT ", "IN", "ANY ", "==", "<", "+", "**", ":", ":=", "nil", "SELF", "@count", "é", "\u{301}",
    "😀", "0x", "1e", "\\u00",
    "FUNCTION(", "SUBQUERY(", "sum:(", "[cd]", "BETWEEN", "kids", "SIZE", "UNION", "\n", "\u{0}",
  ]

  private static func mutated(using random: inout SeededGenerator) -> String {
    var scalars = Array((seeds.randomElement(using: &random) ?? "").unicodeScalars)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0...scalars.count, using: &random)
      let end = min(scalars.count, place + Int.random(in: 0...6, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: scalars.removeSubrange(place..<end)
      case 1:
        scalars.insert(
          contentsOf: (words.randomElement(using: &random) ?? "").unicodeScalars, at: place)
      case 2:
        scalars.insert(
          contentsOf: scalars[place..<end], at: scalars.indices.randomElement(using: &random) ?? 0)
      default:
        let other = Array((seeds.randomElement(using: &random) ?? "").unicodeScalars)
        let cut = Int.random(in: 0...other.count, using: &random)
        scalars = Array(scalars[..<place] + other[cut...])
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test func `20,000 mutated texts print and read back as equal, or are rejected with a position`()
    throws
  {
    var random = SeededGenerator("mutated predicates")
    let object: [String: Any] = [
      "a": 1, "b": ["k": 2.5], "c": "text",
      "kids": [["a": 1, "b": "x"], ["b": "y"]] as [[String: Any]],
    ]
    var accepted = 0
    for step in 0..<20_000 {
      let text = Self.mutated(using: &random)
      let place: Comment = "step \(step): \(text.debugDescription)"
      do {
        let predicate = try NSPredicate(validating: text)
        accepted += 1
        let again = try NSPredicate(validating: predicate.description)
        try #require(again == predicate, place)
        try #require(again.hash == predicate.hash, place)
        try #require(again.description == predicate.description, place)
        _ = try? predicate.evaluated(with: object, variables: ["x": 1])
        _ = try? predicate.evaluated(with: object, variables: ["x": 1], nilRule: .store)
      } catch let error as InvalidPredicateError {
        // The error must be about this text. An error about the printed predicate would have another format string.
        try #require(error.format == text, place)
        try #require((0...text.count).contains(error.position ?? -1), place)
      }
    }
    #expect(accepted > 1000)
  }
}
