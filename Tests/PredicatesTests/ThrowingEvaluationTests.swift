import Foundation
import Predicates
import Testing

/// A method that evaluates a predicate or an expression throws if the evaluation fails. A method that
/// cannot throw returns false or nil instead, and logs a line. Apple's Core Data raises exceptions.
@Suite struct ThrowingEvaluationTests {
  private static let failures: [(format: String, reason: String)] = [
    ("age > 3", #""x" of type String and 3 of type Int have no order, in age > 3"#),
    ("age MATCHES '('", "is not a regular expression"),
    ("age.foo == 1", "has no value for the key \"foo\""),
    ("age == $limit", "the variable $limit has no value"),
    ("age IN 5", "not a collection"),
    ("age BETWEEN {1}", "BETWEEN needs a collection of two values"),
    ("age BETWEEN 3", "BETWEEN needs a collection of two values"),
    ("ANY age == 1", "the left side of ALL or ANY must be a collection"),
    ("age * 2 == 1", "needs numbers"),
    ("FUNCTION(age, 'frobnicate:', 1) == 1", "cannot be called by name"),
    ("randomn:(0) == 1", "randomn: needs a number above 0"),
    ("list[-1] == 1", "below 0"),
    ("CAST(age, 'Foo') == nil", "CAST does not support the type"),
    ("NOT age > 3", "have no order"),
    ("age > 3 AND age > 4", "have no order"),
  ]

  @Test(arguments: failures)
  func `the throwing call throws the reason, and the plain call returns false`(
    format: String, reason: String
  ) throws {
    let object: [String: Any] = ["age": "x", "list": [1]]
    let predicate = try NSPredicate(validating: format)
    let error = #expect(throws: InvalidPredicateError.self) {
      try predicate.evaluated(with: object)
    }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(!predicate.evaluate(with: object))
    #expect([object].filter { predicate.evaluate(with: $0) }.isEmpty)
  }

  @Test func `variables have the values that are passed for them`() throws {
    let predicate = try NSPredicate(validating: "age == $limit")
    #expect(try predicate.evaluated(with: ["age": 3], substitutionVariables: ["limit": 3]))
    #expect(try !predicate.evaluated(with: ["age": 3], substitutionVariables: ["limit": 4]))
  }

  @Test func `a custom expression inside SUBQUERY leaves no variable in the context`() throws {
    final class Own: NSExpression, @unchecked Sendable {
      override func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
        context?["x"]
      }
    }
    let own = Own(expressionType: .function)
    let context = NSMutableDictionary(dictionary: ["y": 1])
    let subquery = NSExpression(
      forSubquery: NSExpression(forConstantValue: [1, 2]), usingIteratorVariable: "x",
      predicate: NSComparisonPredicate(
        leftExpression: own, rightExpression: NSExpression(forConstantValue: 2), modifier: .direct,
        type: .equalTo))
    #expect(try subquery.evaluated(with: nil, context: context) as? [Int] == [2])
    #expect(context as? [String: Int] == ["y": 1])
  }

  @Test func `the evaluation of an invalid sum throws, and is nil in the plain call`() throws {
    let expression = try NSExpression(validating: "name + 1")
    #expect(throws: InvalidPredicateError.self) {
      try expression.evaluated(with: ["name": "x"], context: nil)
    }
    #expect(expression.expressionValue(with: ["name": "x"], context: nil) == nil)
    #expect(try expression.evaluated(with: ["name": 1], context: nil) as? Int == 2)
  }

  @Test func `the reason is logged, but not again for each object`() async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      let predicate = NSPredicate(format: "age > 3")
      for _ in 0..<1000 { _ = predicate.evaluate(with: ["age": "x"]) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("age > 3 cannot be evaluated") }
    #expect(lines.count >= 1 && lines.count < 100)
    #expect(lines.first?.contains("have no order") == true)
  }

  /// Apple's Core Data raises exceptions for arithmetic with nil. Here the comparison is unknown, as in a
  /// fetch, so neither it nor its negation is true.
  @Test(arguments: [
    "n * 12 > 5", "NOT n * 12 > 5", "n * 12 != 5", "n * 12 == 5", "5 < n * 12",
    "n * 12 BETWEEN {0, 5}", "NOT n * 12 BETWEEN {0, 5}", "one BETWEEN {n * 2, 5}",
    "one / 0 > 5", "NOT one / 0 > 5", "sqrt:(-1) != 5", "list[7] != 1", "NOT (n + 1) IN {1, 2}",
    "uppercase(n) != 'X'", "CAST('x', 'NSNumber') != 1",
  ])
  func `a comparison with a function that has no result is unknown`(format: String) throws {
    let object: [String: Any] = ["one": 1, "list": [1]]
    #expect(try !NSPredicate(validating: format).evaluated(with: object))
  }

  @Test func `a function without a result is nil`() throws {
    for format in ["n * 12 == nil", "one / 0 == nil", "n * 12 == n", "NOT n * 12 != nil"] {
      // Only a comparison with the constant nil is never unknown.
      let isKnown = format.contains("nil")
      #expect(
        try NSPredicate(validating: format).evaluated(with: ["one": 1]) == isKnown, "\(format)")
    }
  }

  @Test func `a missing value of a key path still differs from everything`() throws {
    #expect(try NSPredicate(validating: "n != 5").evaluated(with: [String: Any]()))
    #expect(try NSPredicate(validating: "NOT n > 5").evaluated(with: [String: Any]()))
  }

  @Test func `a predicate without a condition is true`() throws {
    #expect(NSPredicate().evaluate(with: nil))
    #expect(NSPredicate().description == "TRUEPREDICATE")
    #expect(NSPredicate() == NSPredicate(value: true))
  }
}
