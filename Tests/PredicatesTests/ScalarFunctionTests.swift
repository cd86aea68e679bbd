import Foundation
import Testing

@testable import Predicates

@Suite struct ScalarFunctionTests {
  private static let decimal = Decimal(string: "7.25") ?? 0

  @Test(arguments: [
    (PredefinedFunction.add, 1, 2, 3), (.subtract, 1, 2, -1), (.multiply, 3, 4, 12),
    (.divide, 7, 2, 3), (.divide, -7, 2, -3), (.modulus, 7, 4, 3), (.modulus, -7, 4, -3),
    (.modulus, Int.min, -1, 0), (.raise, 2, 10, 1024), (.raise, -3, 3, -27), (.raise, 3, 0, 1),
    (.raise, 3037000499, 2, 9_223_372_030_926_249_001),
    (.bitwiseAnd, 6, 3, 2), (.bitwiseOr, 6, 3, 7), (.bitwiseXor, 6, 3, 5), (.leftShift, 1, 4, 16),
    (.rightShift, -16, 2, -4), (.leftShift, 1, 64, 0), (.leftShift, 16, -4, 1),
  ])
  func `integers remain integers`(
    function: PredefinedFunction, a: Int, b: Int, expected: Int
  ) throws {
    for rule in [NilRule.foundation, .store] {
      guard
        case .integer(let result) = try function.value(Scalar(a), Scalar(b), nilRule: rule)
      else {
        Issue.record("not whole")
        return
      }
      #expect(result == Int64(expected))
    }
  }

  @Test func `a result beyond 64 bits becomes a double`() throws {
    #expect(try value(.add, Int.max, 1) as? Double == 0x1p63)
    #expect(try value(.multiply, Int.max, 2) as? Double == 0x1p64)
    #expect(try value(.divide, Int.min, -1) as? Double == 0x1p63)
    #expect(try value(.raise, 2, 63) as? Double == 0x1p63)
    #expect(try value(.raise, 2, -1) as? Double == 0.5)
    #expect(try value(.absolute, Int.min) as? Double == 0x1p63)
    #expect(try value(.add, UInt64.max, 1) as? Double == 0x1p64)
  }

  @Test func `decimals remain decimals`() throws {
    #expect(try value(.add, Self.decimal, 1) as? Decimal == Decimal(string: "8.25"))
    #expect(try value(.modulus, Self.decimal, 2) as? Decimal == Decimal(string: "1.25"))
    #expect(try value(.modulus, -Self.decimal, 2) as? Decimal == Decimal(string: "-1.25"))
    #expect(try value(.floor, -Self.decimal) as? Decimal == -8)
    #expect(try value(.ceiling, -Self.decimal) as? Decimal == -7)
    #expect(try value(.truncate, -Self.decimal) as? Decimal == -7)
    #expect(try value(.absolute, -Self.decimal) as? Decimal == Self.decimal)
    #expect(try value(.divide, Self.decimal, 0) == nil)
  }

  /// Where these functions return nil, a store returns NULL.
  @Test(arguments: [NilRule.store, .foundation])
  func `nil, division by zero and invalid numbers return nil, ln of 0 minus infinity`(
    rule: NilRule
  ) throws {
    for function in PredefinedFunction.allCases where function.isScalar {
      #expect(try value(function, nil, nil, rule) == nil)
      if function.argumentCount == 2...2 {
        #expect(try value(function, 1, nil, rule) == nil)
        #expect(try value(function, nil, 1, rule) == nil)
      }
    }
    #expect(try value(.divide, 1, 0, rule) == nil)
    #expect(try value(.divide, 1.5, 0.0, rule) == nil)
    #expect(try value(.modulus, 1, 0, rule) == nil)
    #expect(try value(.modulus, 1, Decimal(0), rule) == nil)
    #expect(try value(.squareRoot, -1, nil, rule) == nil)
    #expect(try value(.naturalLogarithm, 0, nil, rule) as? Double == -.infinity)
    #expect(try value(.bitwiseAnd, 1e300, 1, rule) == nil)
  }

  @Test func `a wrong type is rejected under both rules`() {
    for rule in [NilRule.foundation, .store] {
      #expect(throws: InvalidPredicateError("add:to: needs numbers, not \"a\" of type String")) {
        try value(.add, 1, "a", rule)
      }
      #expect(throws: InvalidPredicateError("uppercase: needs text, not 1 of type Int")) {
        try value(.uppercase, 1, nil, rule)
      }
      #expect(throws: InvalidPredicateError.self) { try value(.count, 1, nil, rule) }
    }
  }

  private func value(
    _ function: PredefinedFunction, _ a: Any?, _ b: Any? = nil, _ rule: NilRule = .foundation
  ) throws -> Any? {
    try function.value(Scalar(a), Scalar(b), nilRule: rule).boxed
  }
}
