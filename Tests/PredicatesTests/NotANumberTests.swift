import Foundation
import Testing

@testable import Predicates

/// Comparisons with not-a-number or with an invalid date are unknown under both rules for nil (`NilRule`). A store
/// contains NULL for these values, and comparisons with NULL are unknown.
@Suite struct NotANumberTests {
  private static let values: [any Sendable] = [
    Double.nan, Float.nan, Decimal.nan, Date(timeIntervalSinceReferenceDate: .nan),
  ]

  @Test(arguments: 0..<4, [NilRule.foundation, .store])
  func `Comparisons with not-a-number are unknown`(index: Int, rule: NilRule) throws {
    let none = Self.values[index]
    let some: any Sendable = none is Date ? Date(timeIntervalSinceReferenceDate: 0) : 1.5
    for format in [
      "a > %@", "a < %@", "a == %@", "a != %@", "a >= %@", "%@ <= a", "a BETWEEN {%@, %@}",
      "NOT a > %@", "NOT a == %@", "a == b",
    ] {
      let predicate = try NSPredicate(
        validating: format,
        arguments: Array(repeating: none, count: format.components(separatedBy: "%@").count - 1))
      let object: [String: Any] = ["a": some, "b": none]
      #expect(try predicate.truth(with: object, nilRule: rule) == nil, "\(format)")
      #expect(try !predicate.evaluated(with: object), "\(format)")
    }
    let member = try NSPredicate(validating: "a IN %@", arguments: [[none, some]])
    #expect(try member.truth(with: ["a": some], nilRule: rule) == true)
    #expect(try member.truth(with: ["a": none], nilRule: rule) == nil)
  }

  @Test func `A decimal that is not a number prints as a cast from nan`() throws {
    let predicate = NSPredicate(format: "a == %@", argumentArray: [Decimal.nan])
    #expect("\(predicate)" == #"a == CAST("nan", "NSNumber")"#)
    #expect(try "\(NSPredicate(validating: "\(predicate)"))" == "\(predicate)")
  }

  private struct Period: Sendable {
    let start: Date
    let name: String?
  }

  @Test func `Messages can describe values that contain invalid dates`() {
    let none = Date(timeIntervalSinceReferenceDate: .nan)
    let text = "(no date: nan)"
    #expect(MessageText.description(of: none) == text)
    #expect(MessageText.description(of: [none, none]) == "[\(text), \(text)]")
    #expect(MessageText.description(of: ["a": [none] as Any]) == "[a: [\(text)]]")
    #expect(MessageText.description(of: NSDictionary(dictionary: ["a": none])) == "[a: \(text)]")
    #expect(MessageText.description(of: Optional(none)) == text)
    #expect(MessageText.description(of: Period(start: none, name: nil)) == "Period(\(text), nil)")
    #expect(MessageText.description(of: [1, 2]) == "[1, 2]")
    #expect(MessageText.description(of: nil) == "nil")
    #expect(ConstantPrinter.text(of: ["a": none]) == "[a: \(text)]")
    #expect(throws: InvalidPredicateError.self) {
      try NSPredicate(validating: "FUNCTION(%@, 'frob:', 1) == 1", arguments: [none])
        .evaluated(with: [:] as [String: Any])
    }
  }
}
