import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite struct RoundTripTests {
  @Test func `the printed text of a random predicate parses to an equal predicate`() throws {
    var generator = RandomPredicates("printed predicates")
    for step in 0..<3_000 {
      let predicate = generator.predicate(depth: 4)
      let text = predicate.description
      do {
        let again = try NSPredicate(validating: text)
        try #require(again == predicate, "step \(step): \(text)\nagain \(again)")
        try #require(again.hash == predicate.hash, "step \(step): \(text)")
        try #require(again.description == text, "step \(step)")
      } catch let error as InvalidPredicateError {
        Issue.record("step \(step): \(error)")
        return
      }
    }
  }

  @Test func `random text never crashes the parser`() {
    var random = SeededGenerator("random text")
    let words = [
      "a", ".", "==", "(", ")", "{", "}", "[", "]", "\"", "'", "x", "AND", "OR", "NOT", "ANY", "IN",
      "%@", "%K", "%d", "$", "@", "#", "\\", "1", "-", "+", "**", "SUBQUERY", ",", "TERNARY",
      "FUNCTION", "CAST", "UTI-", ":", "é", "😀", "nil", "SELF", "size", "0x", "1e", "%", " ",
      "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "\u{301}",
    ]
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in
        words[Int.random(in: words.indices, using: &random)]
      }.joined(separator: Bool.random(using: &random) ? " " : "")
      do {
        let predicate = try NSPredicate(validating: text, arguments: ["a", 1, "b"])
        _ = predicate.description
      } catch let error as InvalidPredicateError {
        #expect((0...text.count).contains(error.position ?? -1), "\(text)")
      } catch {
        Issue.record("\(text) threw \(error)")
      }
    }
  }
}
