import Foundation
import Predicates
import Testing

/// Constants cast to every type that can represent them, as `NSNumber` casts on Apple's platforms.
@Suite struct BridgedConstantTests {
  private func constant(_ format: String, _ arguments: [Any] = []) throws -> Any? {
    let predicate = try NSPredicate(validating: format, arguments: arguments)
    let comparison = try #require(predicate as? Predicates.NSComparisonPredicate)
    return comparison.rightExpression.constantValue
  }

  @Test func `a Boolean is a number too`() throws {
    for format in ["a = true", "a = YES", "a = 1", "a = 1.0"] {
      let value = try constant(format)
      #expect(value as? Int == 1 && value as? Double == 1 && value as? Bool == true, "\(format)")
      #expect(value as? NSNumber == 1 && value as? Float == 1 && value as? Int64 == 1)
      #expect(value as? Int16 == 1 && value as? UInt8 == 1)
    }
    #expect(try constant("a == %@", [true]) as? Int == 1)
    #expect(try constant("a == %d", [7]) as? Double == 7)
    #expect(try constant("a == -3") as? Double == -3)
  }

  @Test func `a constant does not cast to a type that cannot represent it`() throws {
    #expect(try constant("a = 1.5") as? Int == nil)
    #expect(try constant("a = 1.5") as? Double == 1.5)
    #expect(try constant("a = 300") as? UInt8 == nil)
    #expect(try constant("a = 18446744073709551615") as? Int == nil)
    #expect(try constant("a = 18446744073709551615") as? UInt64 == .max)
    #expect(try constant("a = '1'") as? Int == nil)
    #expect(try constant("a = '1'") as? String == "1")
  }

  @Test func `decimals are decimal numbers`() throws {
    let value = try constant("a == %@", [Decimal(string: "2.5") ?? 0])
    #expect(value as? NSDecimalNumber == NSDecimalNumber(string: "2.5"))
    #expect(value as? Double == 2.5 && value as? NSNumber == 2.5)
  }

  @Test func `elements of collections cast to numbers too`() throws {
    let list = try constant("a IN %@", [[1, 2]])
    #expect(list as? [Int] == [1, 2] && list as? [Double] == [1, 2])
    #expect(list as? [NSNumber] == [1, 2] && (list as? NSArray)?.count == 2)
    let truths = try constant("a IN %@", [[true, false]])
    #expect(truths as? [Int] == [1, 0] && truths as? [Bool] == [true, false])
    let set = try constant("a IN %@", [Set([1, 2])])
    #expect(set as? Set<Int> == [1, 2] && set as? Set<Double> == [1, 2])
    #expect(try constant("a IN %@", [["x", "y"]]) as? [String] == ["x", "y"])
    let predicate = try NSPredicate(validating: "a IN {1, 2.5, YES}")
    let aggregate = try #require(predicate as? Predicates.NSComparisonPredicate).rightExpression
    let elements = try #require(aggregate.collection as? [Predicates.NSExpression])
    #expect(elements.map { $0.constantValue as? Double } == [1, 2.5, 1])
    #expect(elements.map { $0.constantValue as? Int } == [1, nil, 1])
  }

  @Test func `variables and values of expressions cast to numbers too`() throws {
    let template = try NSPredicate(validating: "a == $x")
    let filled = template.withSubstitutionVariables(["x": true])
    let constant = (filled as? Predicates.NSComparisonPredicate)?.rightExpression.constantValue
    #expect(constant as? Int == 1 && constant as? Double == 1)
    let expression = try NSExpression(validating: "n + 1")
    let value = expression.expressionValue(with: ["n": 2], context: nil)
    #expect(value as? Int == 3 && value as? Double == 3 && value as? NSNumber == 3)
    let list = try NSExpression(validating: "{n, YES}").expressionValue(
      with: ["n": 2], context: nil)
    #expect(list as? [Int] == [2, 1] && list as? [Double] == [2, 1])
    #expect(
      try NSExpression(validating: "list.@max.self").expressionValue(
        with: ["list": [1, 5]], context: nil) as? Double == 5)
  }

  @Test func `bridging changes neither printing nor comparing`() throws {
    let predicate = try NSPredicate(
      validating: "a == true AND b == 1.0 AND c IN %@", arguments: [[true]])
    #expect(predicate.description == "a == 1 AND b == 1 AND c IN {1}")
    #expect(try predicate == NSPredicate(validating: predicate.description))
  }
}
