import Foundation
import Testing

@testable import Predicates

@Suite struct ScalarMessageTests {
  private func message(
    _ selector: String, _ receiver: Any?, _ arguments: Any?..., rule: NilRule = .foundation
  ) throws -> Any? {
    try MessageEvaluator.scalarValue(
      of: selector, to: Scalar(receiver), arguments: arguments.map { Scalar($0) }, nilRule: rule
    ).boxed
  }

  @Test func `text answers the documented methods of NSString`() throws {
    #expect(try message("stringByAppendingString:", "a", "b") as? String == "ab")
    #expect(try message("hasPrefix:", "abc", "ab") as? Int == 1)
    #expect(try message("hasSuffix:", "abc", "ab") as? Int == 0)
    #expect(try message("containsString:", "abc", "b") as? Int == 1)
    #expect(try message("compare:", "a", "b") as? Int == -1)
    #expect(try message("caseInsensitiveCompare:", "A", "a") as? Int == 0)
    #expect(try message("substringFromIndex:", "abc", 1) as? String == "bc")
    #expect(try message("substringToIndex:", "abc", 1) as? String == "a")
    #expect(try message("uppercaseString", "abc") as? String == "ABC")
    #expect(try message("length", "a😀") as? Int == 3)
    #expect(try message("substringFromIndex:", "abc", 4) == nil)
    #expect(try message("substringToIndex:", "abc", -1) == nil)
  }

  @Test func `dates answer the documented methods of NSDate`() throws {
    let day = Date(timeIntervalSinceReferenceDate: 86400)
    let next = Date(timeIntervalSinceReferenceDate: 2 * 86400)
    #expect(try message("dateByAddingTimeInterval:", day, 86400) as? Date == next)
    #expect(try message("timeIntervalSinceDate:", next, day) as? Double == 86400)
    #expect(try message("compare:", next, day) as? Int == 1)
    #expect(try message("earlierDate:", next, day) as? Date == day)
    #expect(try message("isEqualToDate:", day, day) as? Int == 1)
    #expect(try message("timeIntervalSinceReferenceDate", day) as? Double == 86400)
  }

  @Test func `numbers answer the documented methods of NSNumber`() throws {
    #expect(try message("compare:", 1, 1.5) as? Int == -1)
    #expect(try message("isEqualToNumber:", 1, 1.0) as? Int == 1)
    #expect(try message("integerValue", 1.9) as? Int == 1)
    #expect(try message("integerValue", 1e300) as? Int == Int.max)
    #expect(try message("stringValue", 1.5) as? String == "1.5")
    #expect(try message("boolValue", Decimal(0)) as? Int == 0)
  }

  @Test func `nil gives nil`() throws {
    #expect(try message("hasPrefix:", nil, "a") == nil)
    #expect(try message("hasPrefix:", "a", nil, rule: .store) == nil)
    #expect(try message("hasPrefix:", "a", nil) == nil)
  }

  @Test func `an unknown method is refused with its name`() {
    #expect(
      throws: InvalidPredicateError(
        "foo: of \"a\" of type String with 1 of type Int cannot be called by name")
    ) { try message("foo:", "a", 1) }
    #expect(throws: InvalidPredicateError("String has no value for the key \"foo\"")) {
      try message("foo", "a")
    }
  }
}
