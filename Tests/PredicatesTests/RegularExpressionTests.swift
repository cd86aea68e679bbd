import Foundation
import Predicates
import Testing

/// Serialized, because some tests change the global time limit.
@Suite(.serialized) struct RegularExpressionTests {
  private func matches(
    _ pattern: String, _ text: String, _ options: NSComparisonPredicate.Options = []
  ) throws -> Bool {
    try StringMatcher(.matches, options: options, pattern: pattern).matches(text)
  }

  @Test(arguments: [
    ("a+", "aaa", true), ("a+", "baaa", false), ("a|ab", "ab", true), ("", "", true),
    ("", "a", false), ("^a$", "a", true), (".*", "a\nb", false), ("(?s).*", "a\nb", true),
    ("(?x) a b # no parenthesis closes here )", "ab", true), ("a)|(b", "", false),
    ("\\p{Lu}\\d{2}", "É12", true), ("(\\w)\\1", "aa", true), ("(\\w)\\1", "ab", false),
    ("😀?", "😀", true), (".", "😀", true), ("a$", "a\n", false),
  ])
  func `the whole string must match`(pattern: String, text: String, expected: Bool) throws {
    if pattern == "a)|(b" {
      #expect(throws: InvalidPredicateError.self) { try matches(pattern, text) }
      return
    }
    #expect(try matches(pattern, text) == expected)
  }

  @Test func `options ignore case and accents`() throws {
    #expect(try matches("É+", "éÉ", .caseInsensitive))
    #expect(try !matches("é", "É"))
    #expect(try matches("e+", "éè", .diacriticInsensitive))
    #expect(try matches("ÉLAN", "elan", [.caseInsensitive, .diacriticInsensitive]))
  }

  @Test(arguments: [
    ("(a", "the parentheses are unbalanced (U_REGEX_MISMATCHED_PAREN), at character 2"),
    ("[b", "a bracket is not closed (U_REGEX_MISSING_CLOSE_BRACKET), at character 2"),
    ("*", "the syntax is invalid (U_REGEX_RULE_SYNTAX), at character 1"),
    ("\\p{Foo}", "a character property is unknown (U_REGEX_PROPERTY_SYNTAX), at character 7"),
    (
      "a\nb(",
      "the parentheses are unbalanced (U_REGEX_MISMATCHED_PAREN), at character 2 of line 2"
    ),
    (
      "a{2,1}",
      "the maximum number of repetitions is less than the minimum (U_REGEX_MAX_LT_MIN), at character 6"
    ),
  ])
  func `an invalid pattern is rejected with the reason and the position`(
    pattern: String, reason: String
  ) {
    #expect(
      throws: InvalidPredicateError(
        "\"\(pattern)\" after MATCHES is not a regular expression: \(reason)")
    ) { try matches(pattern, "a") }
  }

  @Test func `a pathological pattern throws an error with the pattern and the limit`() throws {
    NSPredicate.matchingTimeLimit = 0.1
    defer { NSPredicate.matchingTimeLimit = 1 }
    let text = String(repeating: "a", count: 40)
    #expect(
      throws: InvalidPredicateError(
        "the pattern \"(a+)+b\" after MATCHES takes too long: more than 0.1 s for one string, tried on a string of 40 characters"
      )
    ) { try matches("(a+)+b", text) }
    let predicate = try NSPredicate(validating: "SELF MATCHES '(a+)+b'")
    #expect(throws: InvalidPredicateError.self) { try predicate.evaluated(with: text) }
    // `evaluate(with:)` cannot throw: it logs the error and returns false.
    #expect(!predicate.evaluate(with: text))
  }

  // Foundation's ICU returns "no match" after some number of steps, without an error.
  @Test(arguments: ["(a+)+b", "(a|aa)+b", "(a*)*b", "(.*a){12}b"])
  func `a pathological pattern throws an error even without a time limit`(pattern: String) throws {
    NSPredicate.matchingTimeLimit = .infinity
    defer { NSPredicate.matchingTimeLimit = 1 }
    let text = String(repeating: "a", count: 60)
    let error = #expect(throws: InvalidPredicateError.self) { try matches(pattern, text) }
    #expect(error?.message.contains("takes too long: more than 29 million steps") == true)
    #expect(try matches(pattern, text + "b"))
  }

  @Test func `many slow strings together reach the limit too`() throws {
    NSPredicate.matchingTimeLimit = 0.1
    defer { NSPredicate.matchingTimeLimit = 1 }
    let matcher = try StringMatcher(.matches, options: [], pattern: "(a+)+b")
    // Finds a length of strings for which one match takes more than 10 milliseconds.
    var slow = 16
    while true {
      let start = Date()
      do {
        #expect(try !matcher.matches(String(repeating: "a", count: slow)))
      } catch { break }
      if Date().timeIntervalSince(start) > 0.01 { break }
      slow += 1
    }
    let text = String(repeating: "a", count: slow)
    var message: String?
    for _ in 0..<2000 {
      do {
        _ = try matcher.matches(text)
      } catch let error as InvalidPredicateError {
        message = error.message
        break
      }
    }
    #expect(message?.contains("takes too long: more than 0.") == true)
  }

  @Test func `a string that exceeds ICU's stack throws an error instead of not matching`() throws {
    let matcher = try StringMatcher(.matches, options: [], pattern: "(?:a|b)*c")
    #expect(
      throws: InvalidPredicateError(
        "the pattern \"(?:a|b)*c\" after MATCHES cannot be tried on a string of 2000000 characters: matching needs too much backtracking (U_REGEX_STACK_OVERFLOW)"
      )
    ) { try matcher.matches(String(repeating: "ab", count: 1_000_000)) }
    #expect(try matcher.matches("abc"))
  }

  @Test func `one matcher can be used by many threads`() async throws {
    let matcher = try StringMatcher(.matches, options: [], pattern: "(a|b)+c\\d*")
    let right = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<2000).count { step in
            let text = String(repeating: "ab", count: step % 7 + 1) + (step % 2 == 0 ? "c" : "d")
            return (try? matcher.matches("\(text)\(task)")) == (step % 2 == 0)
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(right == 16000)
  }

  @Test func `LIKE takes time at most proportional to the product of both lengths`() throws {
    let matcher = try StringMatcher(
      .like, options: [], pattern: String(repeating: "a*", count: 200) + "b")
    // An exponential algorithm would never finish.
    #expect(try !matcher.matches(String(repeating: "a", count: 2000)))
  }
}
