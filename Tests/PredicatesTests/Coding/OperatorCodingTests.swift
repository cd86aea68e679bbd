import Foundation
import Testing

@testable import Predicates

/// Operators in damaged archives. They are decoded alone, because Foundation's unarchiver replaces the error of a part
/// with one of its own.
@Suite struct OperatorCodingTests {
  /// Contains only numbers, and keeps the error that decoding reports.
  private final class NumberCoder: NSCoder {
    private let numbers: [String: Int]
    private var failure: (any Error)?

    init(_ numbers: [String: Int]) { self.numbers = numbers }

    override func containsValue(forKey key: String) -> Bool { numbers[key] != nil }
    override func decodeInteger(forKey key: String) -> Int { numbers[key] ?? 0 }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { failure }
    override func failWithError(_ error: any Error) { failure = error }
  }

  @Test(arguments: [
    (["NSOperatorType": 55], "the unknown type 55"),
    (["NSOperatorType": -1], "the unknown type -1"),
    (["NSOperatorType": 4, "NSModifier": 7], "the unknown modifier 7"),
    (["NSOperatorType": 4, "NSModifier": -1], "the unknown modifier -1"),
  ])
  func `The error about an operator states its unknown type or modifier`(
    _ numbers: [String: Int], _ reason: String
  ) {
    let coder = NumberCoder(numbers)
    #expect(PredicateOperator(coder: coder) == nil)
    #expect(
      (coder.error as NSError?)?.localizedDescription
        == "The archive cannot be read: an operator has \(reason).")
  }

  @Test func `An operator has the type, modifier and options of its archive`() throws {
    let coder = NumberCoder(["NSOperatorType": 8, "NSModifier": 2, "NSFlags": 3])
    let decoded = try #require(PredicateOperator(coder: coder))
    #expect(decoded.type == .beginsWith && decoded.modifier == .any)
    #expect(decoded.options == [.caseInsensitive, .diacriticInsensitive])
    #expect(coder.error == nil)
  }
}
