import Foundation
import Predicates
import Testing

/// The less common parts of the language, in addition to those in `ParsingTests`.
@Suite struct GrammarTests {
  @Test(arguments: [
    ("a = 1", "a == 1"), ("a == 1", "a == 1"), ("a <> 1", "a != 1"), ("a != 1", "a != 1"),
    ("a =< 1", "a <= 1"), ("a => 1", "a >= 1"), ("a && b == 1 ", nil), ("!a == 1", "NOT a == 1"),
    ("a==1&&b==2||c==3", "(a == 1 AND b == 2) OR c == 3"),
    ("a == 1 and not b == 2 or c == 3", "(a == 1 AND (NOT b == 2)) OR c == 3"),
    ("some a == 1", "ANY a == 1"), ("none a == 1", "NOT ANY a == 1"), ("all a == 1", "ALL a == 1"),
    ("a between {1, 2}", "a BETWEEN {1, 2}"), ("a in {}", "a IN {}"),
    ("a contains[cd] 'x'", "a CONTAINS[cd] \"x\""),
    ("a beginswith[DC] 'x'", "a BEGINSWITH[cd] \"x\""),
    ("a ==[c] 'x'", "a ==[c] \"x\""), ("a like[n] 'x'", "a LIKE[n] \"x\""),
    ("a matches[l] 'x'", "a MATCHES[l] \"x\""), ("a endswith 'x'", "a ENDSWITH \"x\""),
    ("truepredicate", "TRUEPREDICATE"), ("FalsePredicate", "FALSEPREDICATE"),
    ("a == yes", "a == 1"), ("a == No", "a == 0"), ("a == nil", "a == nil"),
    ("a == null", "a == nil"), ("self == 1", "SELF == 1"), ("a == @YES", "a == 1"),
    ("#size == 1", "#size == 1"), ("a.#size == 1", "a.size == 1"), ("a.size == 1", "a.size == 1"),
    ("#a == 1", "a == 1"), ("\\u0061ge == 1", "age == 1"), ("\\141ge == 1", "age == 1"),
    ("\\x61ge == 1", "age == 1"), ("a\\ b == 1", "a\\u0020b == 1"),
    ("a == '\\ud83d\\ude00'", "a == \"😀\""), ("a == '\\U0001F600'", "a == \"😀\""),
    ("a == '\\q'", "a == \"q\""), ("a == %%", "a == \"%\""),
    ("a %% 2 == 1", "modulus:by:(a, 2) == 1"),
    ("a == 0XFF", "a == 255"), ("a == 0B11", "a == 3"), ("a == 0O17", "a == 15"),
    ("a == 1E2", "a == 100"), ("a == 1.5e+2", "a == 150"), ("a == -.5", "a == -0.5"),
    ("a == 0xFFFFFFFFFFFFFFFF", "a == 18446744073709551615"), ("a == - 1", "a == -1"),
    ("a == -0.0", "a == -0.0"),
    ("a isKindOfClass: b", "a isKindOfClass: b"), ("a foo:bar: b", "a foo:bar: b"),
    ("a \\ f::\\1: b", "a \\u0020f::\\u0001: b"),
    ("ANYKEY == 1", "ANYKEY == 1"), ("a[FIRST].b == 1", "a[FIRST].b == 1"),
    ("a[first] == 1", "a[FIRST] == 1"), ("$x[size] == 1", "$x[SIZE] == 1"),
    ("(a.b)[0] == 1", "(a.b)[0] == 1"), ("a['k'] == 1", "a[\"k\"] == 1"),
    ("a union b == c", "a UNION b == c"),
    ("a UNION {1} MINUS b == c", "(a UNION {1}) MINUS b == c"),
    ("sqrt(a) == 1", "sqrt:(a) == 1"), ("now() > a", "now() > a"),
    ("a | b & c == 1", "a | (b & c) == 1"),
    ("a ^ 1 << 2 == 1", "a ^ (1 << 2) == 1"), ("length:(a) == 1", "length:(a) == 1"),
    ("castObject:toType:(a, 'NSString') == 1", "CAST(a, \"NSString\") == 1"),
    ("CAST(5, 'NSDate') == a", "CAST(5.000000, \"NSDate\") == a"),
    ("a == CAST('inf', 'NSNumber')", "a == CAST(\"inf\", \"NSNumber\")"),
    ("a == CAST('-inf', 'NSNumber')", "a == CAST(\"-inf\", \"NSNumber\")"),
    ("a == CAST('nan', 'NSNumber')", "a == CAST(\"nan\", \"NSNumber\")"),
    ("$a.$b == 1", "$a.$b == 1"), ("@count > 1", "@count > 1"), ("a.@sum.b > 1", "a.@sum.b > 1"),
    ("(a.@max.b).c.d > 1", "(a.@max.b).c.d > 1"), ("(a.@max.b)[0].c > 1", "(a.@max.b)[0].c > 1"),
    ("@a.$b > 1", "(@a).$b > 1"), ("(a.b).@count > 1", "a.b.@count > 1"),
    ("FUNCTION(a, 'f:with:', 1, b) == 1", "FUNCTION(a, \"f:with:\" , 1 , b) == 1"),
    ("function == 1", "function == 1"), ("ternary == 1", "ternary == 1"),
    ("union == 1", "union == 1"),
    ("  a\n==\t1 ", "a == 1"), ("ALL a IN {1}", "ALL a IN {1}"),
  ])
  func `a string prints in its canonical form`(format: String, printed: String?) throws {
    guard let printed else {
      #expect(throws: InvalidPredicateError.self) { try NSPredicate(validating: format) }
      return
    }
    let predicate = try NSPredicate(validating: format)
    #expect(predicate.description == printed)
    #expect(try NSPredicate(validating: printed) == predicate)
  }

  @Test(arguments: [
    (
      "a UTI-CONFORMS-TO 'x'", 2,
      "UTI-CONFORMS-TO compares uniform type identifiers, which exist only on Apple's platforms"
    ),
    (
      "a uti-equals 'x'", 2,
      "uti-equals compares uniform type identifiers, which exist only on Apple's platforms"
    ),
    (
      "FETCH(a, b, NO) == 1", 0,
      "expected a value (a predicate cannot run a fetch request: fetch first and pass the results; write a key of that name as #FETCH), found \"FETCH\""
    ),
    (
      "none == 1", 5, "expected a value (write a key of that name as #none), found \"==\""
    ),
    ("a\\.b == 1", 1, "a name cannot contain a dot"),
    ("$x := 1", 3, "a predicate cannot assign to a variable"),
    (
      "a NOT IN {1}", 2,
      "expected an operator or the end (NOT precedes the condition it negates), found \"NOT\""
    ),
    ("a == '\\ud800'", 6, "\"\\ud800\" is not a character"),
    ("a == '\\ude00\\ud83d'", 6, "\"\\ude00\" is not a character"),
    ("a == '\\U00110000'", 6, "\"\\U00110000\" is not a character"),
    ("a == %n", 5, "\"%n\" is not an argument: use %@, %K, or a printf conversion such as %d"),
    ("a == %1$@", 5, "\"%1$\" is not an argument: use %@, %K, or a printf conversion such as %d"),
    ("a == 0x", 5, "\"0x\" is not a number, and a name cannot begin with a digit"),
    ("a == 1e", 5, "\"1e\" is not a number, and a name cannot begin with a digit"),
    ("a == 0b2", 5, "\"0b2\" is not a number, and a name cannot begin with a digit"),
    ("a LIKE[x] 'a'", 7, "\"x\" is not a comparison option: use c, d, n or l"),
    ("FUNCTION(a, 'f', b", 18, "expected \")\" to end FUNCTION, found the end of the text"),
    ("a == f:(1)", 5, "\"f:\" is not a predefined function"),
    ("a == sum:()", 5, "sum: takes at least 1 argument, not 0"),
    ("a == now(1)", 5, "now takes 0 arguments, not 1"),
  ])
  func `an invalid string is rejected with position and reason`(
    format: String, position: Int, message: String
  ) {
    let error = #expect(throws: InvalidPredicateError.self) {
      try NSPredicate(validating: format)
    }
    #expect(error?.message == message)
    #expect(error?.position == position)
  }

  @Test func `every conversion reads its argument`() throws {
    func constant(_ conversion: String, _ value: Any) throws -> Any? {
      try NSExpression(validating: conversion, arguments: [value]).constantValue
    }
    for conversion in [
      "%d", "%i", "%u", "%x", "%X", "%o", "%D", "%U", "%ld", "%lu", "%lx", "%lld", "%llu", "%llx",
      "%hd", "%hhd", "%hu", "%zd", "%zu", "%jd", "%td", "%qd", "%05d", "%-5d", "%+d", "%#x", "%.3d",
    ] {
      #expect(try constant(conversion, 7) as? Int == 7, "\(conversion)")
      #expect(try constant(conversion, NSNumber(value: 7)) as? Int == 7, "\(conversion)")
    }
    for conversion in ["%f", "%F", "%g", "%G", "%e", "%E", "%a", "%.2f", "%lf", "%Lf", "%5.1f"] {
      #expect(try constant(conversion, 1.5) as? Double == 1.5, "\(conversion)")
      #expect(try constant(conversion, 2) as? Double == 2, "\(conversion)")
    }
    #expect(try constant("%llu", UInt64.max) as? UInt64 == UInt64.max)
    #expect(try constant("%c", 65) as? Int == 65)
    #expect(try constant("%c", Character("x")) as? String == "x")
    #expect(try constant("%c", "é") as? String == "é")
    #expect(try constant("%s", "text") as? String == "text")
    #expect(try "text".withCString { try constant("%s", $0) as? String } == "text")
    #expect(try constant("%S", NSString(string: "text")) as? String == "text")
    #expect(try constant("%p", UnsafeRawPointer(bitPattern: 16) as Any) as? UInt == 16)
    #expect(try constant("%@", Double.infinity) as? Double == .infinity)
    #expect(throws: InvalidPredicateError.self) { try constant("%c", "xy") }
    #expect(throws: InvalidPredicateError.self) { try constant("%s", 1) }
    #expect(throws: InvalidPredicateError.self) { try constant("%p", "x") }
    for path in ["", ".", "a.", ".a", "a..b", "@", "a.@"] {
      #expect(throws: InvalidPredicateError.self) {
        try NSExpression(validating: "%K", arguments: [path])
      }
    }
  }

  @Test func `a value that is not finite survives printing`() throws {
    for value in [Double.nan, .infinity, -.infinity] {
      let predicate = NSPredicate(format: "a == %f", value)
      #expect(try NSPredicate(validating: predicate.description) == predicate)
    }
  }

  /// The uppercase of ı is I, and that of ſ is S. The Kelvin sign is equal to K, because it is canonically equivalent.
  @Test(arguments: [
    "ın", "lıke", "ſize", "nıl", "ıntersect", "unıon", "ſelf", "li\u{212A}e", "ternarı", "functıon",
    "utı",
  ])
  func `a key with a letter beyond ASCII is no word of the language`(key: String) throws {
    let comparison = try #require(
      try NSPredicate(validating: "\(key) == a.\(key)") as? NSComparisonPredicate)
    #expect(comparison.leftExpression == NSExpression(forKeyPath: key))
    #expect(comparison.rightExpression == NSExpression(forKeyPath: "a.\(key)"))
    #expect(try NSPredicate(validating: comparison.description) == comparison)
    #expect(throws: InvalidPredicateError.self) { try NSPredicate(validating: "a \(key) b") }
    #expect(throws: InvalidPredicateError.self) { try NSExpression(validating: "\(key)(a, b, c)") }
  }

  @Test func `parsing long strings takes linear time`() throws {
    let path = Array(repeating: "size", count: 100_000).joined(separator: ".")
    #expect(try NSPredicate(validating: "a.\(path) == 1").description.hasSuffix("size == 1"))
    let names = Array(repeating: "a", count: 100_000).joined(separator: ":")
    #expect(try NSPredicate(validating: "x \(names)").description == "x \(names.dropLast()) a")
    #expect(throws: InvalidPredicateError.self) {
      try NSPredicate(validating: String(repeating: "a: ", count: 100_000))
    }
    let texts: [(Int) -> String] = [
      { "a.\(Array(repeating: "size", count: $0).joined(separator: ".")) == 1" },
      { "x \(Array(repeating: "a", count: $0).joined(separator: ":"))" },
      { String(repeating: "a: ", count: $0) },
    ]
    for text in texts {
      let (short, long) = (Self.parsingTime(text(10_000)), Self.parsingTime(text(100_000)))
      // Ten times the length takes ten times as long in linear time, and a hundred times in quadratic time.
      #expect(long < 40 * short + 0.1, "\(text(3)): \(short) s, \(long) s")
    }
  }

  /// Returns the processor time in seconds that this thread needs to parse a text: the shortest of three measurements,
  /// because other threads use the processor's caches too.
  private static func parsingTime(_ text: String) -> Double {
    func now() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let times = (1...3).map { _ in
      let start = now()
      _ = try? NSPredicate(validating: text)
      return now() - start
    }
    return times.min() ?? 0
  }

  @Test func `a key path has a limited number of operators`() throws {
    let path = String(repeating: "@max.", count: 40) + "a"
    let predicate = try NSPredicate(validating: "\(path) == 1")
    #expect(throws: InvalidPredicateError("a key path has more than 20 operators")) {
      try predicate.evaluated(with: [[1]])
    }
  }
}
