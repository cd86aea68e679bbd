import Foundation
import Predicates
import Testing

/// Every function that Apple documents: its results, and the arguments it rejects.
@Suite struct FunctionTests {
  nonisolated(unsafe) private static let object: [String: Any] = [
    "n": 9, "d": 2.5, "m": Decimal(string: "7.25") ?? 0, "t": "Élan", "list": [4, 1, 4, 7],
    "texts": ["b", "a"], "gaps": [1, NSNull(), 3], "map": ["k": "v"], "empty": [Int](),
    "day": Date(timeIntervalSinceReferenceDate: 100), "gone": NSNull(),
    "url": URL(string: "https://example.org/a.txt") as Any,
  ]

  private func value(_ format: String, _ rule: NilRule = .foundation) throws -> Any? {
    try NSExpression(validating: format).value(with: Self.object, nilRule: rule)
  }

  @Test(arguments: [
    ("sum:(list)", "16"), ("sum:({1, 2.5})", "3.5"), ("sum:(1, 2, 3)", "6"), ("sum:(empty)", "0"),
    ("sum:(gaps)", "4"), ("sum:({})", "0"), ("count:(list)", "4"), ("count:(gaps)", "3"),
    ("count:(empty)", "0"), ("min:(list)", "1"), ("max:(list)", "7"), ("min:(texts)", "\"a\""),
    ("max:(gaps)", "3"), ("min:(empty)", "nil"), ("average:(list)", "4"), ("average:(gaps)", "2"),
    ("average:(empty)", "nil"), ("median:(list)", "4"), ("median:({1, 2})", "1.5"),
    ("mode:(list)", "{4}"), ("mode:({2, 1})", "{1, 2}"), ("mode:(empty)", "{}"),
    ("stddev:({2, 4, 4, 4, 5, 5, 7, 9})", "2"), ("stddev:(empty)", "nil"),
    ("add:to:(n, 1)", "10"), ("from:subtract:(n, 1)", "8"), ("multiply:by:(n, 2)", "18"),
    ("divide:by:(n, 2)", "4"), ("divide:by:(n, 2.0)", "4.5"), ("modulus:by:(n, 2)", "1"),
    ("modulus:by:(-7, 4)", "-3"), ("modulus:by:(7.5, 2)", "1.5"),
    ("modulus:by:(CAST('1e50', 'NSDecimalNumber'), 7) < 7", ""), ("raise:toPower:(2, 10)", "1024"),
    ("n + 1", "10"), ("n - 1", "8"), ("n * 2", "18"), ("n / 2", "4"), ("n ** 2", "81"),
    ("-n", "-9"), ("m + 1", "8.25"), ("m * 2", "14.5"), ("n %% 4", "1"),
    ("sqrt:(n)", "3"), ("log:(1000)", "3"), ("ln:(1)", "0"), ("exp:(0)", "1"),
    ("floor:(d)", "2"), ("ceiling:(d)", "3"), ("trunc:(-2.5)", "-2"), ("floor:(-2.5)", "-3"),
    ("abs:(-2.5)", "2.5"), ("abs:(-3)", "3"), ("floor:(m)", "7"),
    ("uppercase:(t)", "\"ÉLAN\""), ("lowercase:(t)", "\"élan\""), ("canonical:(t)", "\"elan\""),
    ("length:(t)", "4"), ("length:('😀')", "2"), ("length:('')", "0"),
    ("bitwiseAnd:with:(6, 3)", "2"), ("bitwiseOr:with:(6, 3)", "7"),
    ("bitwiseXor:with:(6, 3)", "5"),
    ("leftshift:by:(1, 4)", "16"), ("rightshift:by:(16, 2)", "4"), ("onesComplement:(0)", "-1"),
    ("6 & 3", "2"), ("6 | 3", "7"), ("6 ^ 3", "5"), ("1 << 4", "16"), ("16 >> 2", "4"),
    ("noindex:(n)", "9"), ("objectFrom:withIndex:(list, 1)", "1"), ("list[LAST]", "7"),
    ("list[FIRST]", "4"), ("list[SIZE]", "4"), ("map['k']", "\"v\""), ("map['x']", "nil"),
    ("empty[FIRST]", "nil"), ("castObject:toType:(n, 'NSString')", "\"9\""),
    ("CAST('12', 'NSNumber')", "12"), ("CAST('1.5', 'NSDecimalNumber')", "1.5"),
    ("CAST(day, 'NSNumber')", "100"), ("CAST(100, 'NSDate') == day", ""),
    ("CAST(url, 'NSString')", "\"https://example.org/a.txt\""), ("CAST(gone, 'NSString')", "nil"),
    ("TERNARY(n > 1, 'a', 'b')", "\"a\""), ("TERNARY(gone == 1, 'a', 'b')", "\"b\""),
    ("FUNCTION(t, 'stringByAppendingString:', 's')", "\"Élans\""),
    ("FUNCTION(day, 'timeIntervalSinceReferenceDate')", "100"),
    (
      "FUNCTION(FUNCTION(day, 'dateByAddingTimeInterval:', 20), 'timeIntervalSinceDate:', day)",
      "20"
    ),
    ("FUNCTION('a-b', 'componentsSeparatedByString:', '-')", "{\"a\", \"b\"}"),
    ("FUNCTION(list, 'objectAtIndex:', 3)", "7"), ("FUNCTION(list, 'count')", "4"),
    ("FUNCTION(list, 'lastObject')", "7"), ("FUNCTION(list, 'containsObject:', 7)", "1"),
    ("FUNCTION(map, 'objectForKey:', 'k')", "\"v\""),
    ("FUNCTION(map, 'valueForKey:', 'k')", "\"v\""),
    ("FUNCTION(SELF, 'valueForKeyPath:', 'map.k')", "\"v\""),
    ("FUNCTION(gone, 'anything:', 1)", "nil"),
    ("FUNCTION(t, 'length')", "4"), ("t.length", "4"), ("url.lastPathComponent", "\"a.txt\""),
  ])
  func `a function returns what Apple documents`(format: String, expected: String) throws {
    if expected.isEmpty {
      #expect(try NSPredicate(validating: format).evaluated(with: Self.object))
      return
    }
    for rule in [NilRule.foundation, .store] {
      let value = try value(format, rule)
      #expect(NSExpression(forConstantValue: value).description == expected)
    }
  }

  @Test func `functions of time and randomness return values of their type`() throws {
    let now = try #require(try value("now()") as? Date)
    #expect(abs(now.timeIntervalSinceNow) < 60)
    for _ in 0..<100 {
      let below = try #require(try value("randomn:(3)") as? Int)
      #expect(0..<3 ~= below)
      #expect(try #require(try value("random()") as? Int) >= 0)
    }
  }

  /// Apple's Core Data raises exceptions for most of these. Here, a value in the data must not end the program, so
  /// the result is nil, like the NULL of a store.
  @Test(arguments: [NilRule.store, .foundation])
  func `a missing result is nil in every function`(rule: NilRule) throws {
    for format in [
      "add:to:(gone, 1)", "from:subtract:(1, gone)", "multiply:by:(gone, gone)",
      "divide:by:(1, gone)",
      "modulus:by:(gone, 1)", "raise:toPower:(gone, 2)", "sqrt:(gone)", "log:(gone)", "ln:(gone)",
      "exp:(gone)", "floor:(gone)", "ceiling:(gone)", "trunc:(gone)", "abs:(gone)",
      "bitwiseAnd:with:(gone, 1)", "bitwiseOr:with:(1, gone)", "bitwiseXor:with:(gone, 1)",
      "leftshift:by:(gone, 1)", "rightshift:by:(1, gone)", "onesComplement:(gone)",
      "randomn:(gone)", "FUNCTION(t, 'stringByAppendingString:', gone)",
      "uppercase:(gone)", "lowercase:(gone)", "canonical:(gone)", "length:(gone)",
      "min:(gone)", "max:(gone)", "average:(gone)", "median:(gone)", "stddev:(gone)", "gone[0]",
      "gone.a.b", "FUNCTION(gone, 'length')",
      "1 / 0", "n %% 0", "sqrt:(-1)", "1 | 1e300", "list[9]", "CAST(t, 'NSNumber')",
      "FUNCTION(t, 'substringFromIndex:', 99)", "FUNCTION(list, 'objectAtIndex:', 9)",
      "FUNCTION(list, 'objectAtIndexedSubscript:', 4)",
    ] {
      #expect(try value(format, rule) == nil, "\(format)")
    }
    #expect(try value("noindex:(gone)", rule) is NSNull)
    #expect(try value("sum:(gone)", rule) as? Int == 0)
  }

  @Test(arguments: [
    ("sum:(texts)", "sum: needs numbers, not \"b\" of type String"),
    ("sum:(t)", "sum: needs numbers, not \"Élan\" of type String"),
    ("average:(texts)", "average: needs only numbers or only dates, not \"b\" of type String"),
    ("median:(texts)", "median: needs only numbers or only dates, not \"b\" of type String"),
    ("stddev:(texts)", "stddev: needs numbers, not \"b\" of type String"),
    ("max:({1, 'a'})", "max:: \"a\" of type String and 1 of type Int have no order"),
    ("t + 1", "add:to: needs numbers, not \"Élan\" of type String"),
    ("1 + t", "add:to: needs numbers, not \"Élan\" of type String"),
    ("sqrt:(t)", "sqrt: needs numbers, not \"Élan\" of type String"),
    ("abs:(t)", "abs: needs numbers, not \"Élan\" of type String"),
    ("uppercase:(n)", "uppercase: needs text, not 9 of type Int"),
    ("length:(n)", "length: needs text, not 9 of type Int"),
    ("6 & t", "bitwiseAnd:with: needs numbers, not \"Élan\" of type String"),
    ("n[0]", "an index needs a collection, not 9 of type Int"),
    ("list['k']", "the index of a collection is a number, not \"k\" of type String"),
    ("list[-1]", "the index -1 of a collection is below 0"),
    ("CAST(t, 'Foo')", "CAST does not support the type \"Foo\""),
    ("CAST(n, n)", "CAST needs the name of a type, not 9 of type Int"),
    ("randomn:(0)", "randomn: needs a number above 0, not 0"),
    ("FUNCTION(t, 'foo')", "String has no value for the key \"foo\""),
    (
      "FUNCTION(t, 'foo:', 1)",
      "foo: of \"Élan\" of type String with 1 of type Int cannot be called by name"
    ),
    (
      "distanceToLocation:fromLocation:(t, t)",
      "distanceToLocation:fromLocation: needs Apple's Core Location"
    ),
  ])
  func `the error contains a value of the wrong type`(format: String, message: String) {
    let error = #expect(throws: InvalidPredicateError.self) { try value(format) }
    #expect(error?.message == message)
  }

  @Test(arguments: [
    ("sum:()", "sum: takes at least 1 argument, not 0"),
    ("now(1)", "now takes 0 arguments, not 1"),
    ("random(1)", "random takes 0 arguments, not 1"),
    ("sqrt:(1, 2)", "sqrt: takes 1 argument, not 2"),
    ("add:to:(1)", "add:to: takes 2 arguments, not 1"),
    ("uppercase:()", "uppercase: takes 1 argument, not 0"),
    ("length:(1, 2)", "length: takes 1 argument, not 2"),
    ("bitwiseAnd:with:(1, 2, 3)", "bitwiseAnd:with: takes 2 arguments, not 3"),
    ("objectFrom:withIndex:(1)", "objectFrom:withIndex: takes 2 arguments, not 1"),
    ("castObject:toType:(1)", "castObject:toType: takes 2 arguments, not 1"),
    ("foo:(1)", "\"foo:\" is not a predefined function"),
  ])
  func `a wrong number of arguments is rejected at the function's position`(
    format: String, message: String
  ) {
    let error = #expect(throws: InvalidPredicateError.self) {
      try NSExpression(validating: format)
    }
    #expect(error?.message == message)
    #expect(error?.position == 0)
  }
}
