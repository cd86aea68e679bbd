import CoreData
import Predicates
import Testing

@testable import CoreData

/// Predicates without a meaning for some or all values, and numbers outside the range of their types.
@Suite("Predicates without a meaning")
struct WrongShapeTests {
  private static let collections = [
    "nil", "5", "\"ab\"", "\"\"", "{}", "{1}", "{nil}", "{1, 2, 3}", "{1, \"a\"}", "{{1}, {2}}",
    "{{}, nil}", "{nil, nil}", "#some", "list", "list.double", "#some.some.text", "next", "SELF",
    "next.some", "text", "date", "TERNARY(whole > 0, #some, list)", "TERNARY(whole > 0, {1}, {2})",
    "SUBQUERY(#some, $s, $s.whole > 0)", "SUBQUERY(text, $s, $s == 1)",
    "SUBQUERY(#some, $s, SUBQUERY($s.some, $t, $t.whole <= $s.small).@count > 0)",
    "SUBQUERY(nil, $s, TRUEPREDICATE)", "SUBQUERY({1, 2}, $s, $s > 1)", "#some UNION list",
    "#some MINUS {}", "text INTERSECT #some", "mode:(#some.whole)", "#some[0]", "list[LAST]",
    "list[whole]", "list[-1]", "now()", "random()", "$unknown", "ANYKEY",
    "FUNCTION(text, \"componentsSeparatedByString:\", \"l\")", "FUNCTION(SELF, \"class\")",
    "FUNCTION(SELF, \"valueForKey:\", \"whole\")",
    "FUNCTION(SELF, \"valueForKeyPath:\", \"some.whole\")",
    "FUNCTION(next, \"valueForKey:\", \"nosuch\")", "FUNCTION(text, nil)", "next.next.next.some",
  ]
  private static let numbers = [
    "9223372036854775807 + 1", "-9223372036854775808 - 1", "whole + 1", "whole - 1",
    "whole * whole",
    "-whole", "abs:(whole)", "whole / 0", "0 / whole", "whole / -1", "modulus:by:(whole, -1)",
    "modulus:by:(whole, 0)", "modulus:by:(double, 0)", "2 ** 1000", "whole ** whole", "0 ** -1",
    "(-8) ** 0.5", "whole << 64", "whole << -1", "whole >> 200", "whole >> -9223372036854775808",
    "onesComplement:(double)", "double * double", "double - double", "money * money",
    "money / 0", "money ** 200", "money + double", "CAST(\"9e127\", \"NSDecimalNumber\") * 10",
    "CAST(\"-9e127\", \"NSDecimalNumber\") - CAST(\"9e127\", \"NSDecimalNumber\")",
    "CAST(\"1e-127\", \"NSDecimalNumber\") / 10", "sqrt:(-1)", "ln:(0)", "log:(-whole)",
    "exp:(100000)", "exp:(whole)", "floor:(double)", "trunc:(1e300)", "ceiling:(money)",
    "randomn:(0)", "randomn:(-1)", "randomn:(double)", "randomn:(\"x\")", "randomn:(nil)",
    "now() - 5", "FUNCTION(now(), \"timeIntervalSinceDate:\", date)", "date + 1", "date - date",
    "text + text", "\"a\" * 2", "nil + 1", "nil * nil", "-nil", "-text", "SELF + 1", "{1} + {2}",
    "#some + 1", "CAST(whole, \"NSDate\")", "CAST(double, \"NSDate\")", "CAST(date, \"NSNumber\")",
    "CAST(\"1e999\", \"NSNumber\")", "CAST(\"nan\", \"NSNumber\")", "CAST(#some, \"NSNumber\")",
    "sum:(whole, text)", "average:(whole, date)", "max:(whole, text)", "min:(date, uuid)",
    "stddev:({1, nil})", "median:({})", "mode:({1, 1, \"a\"})", "text.length * 1e300",
    "FUNCTION(whole, \"intValue\")", "double.intValue", "double.integerValue",
    "money.longLongValue",
    "FUNCTION(text, \"substringFromIndex:\", -1)", "FUNCTION(text, \"substringToIndex:\", 1e300)",
    "FUNCTION(date, \"dateByAddingTimeInterval:\", 1e300)", "date.timeIntervalSince1970",
    "FUNCTION(whole, \"decimalNumberByDividingBy:\", 0)",
    "FUNCTION(money, \"decimalNumberByMultiplyingBy:\", CAST(\"9e127\", \"NSDecimalNumber\"))",
  ]
  private static let patterns = [
    "\"[\"", "\"(\"", "\")\"", "\"*\"", "\"?\"", "\"\\\\\"", "\"\\\\*\"", "\"a{2,1}\"",
    "\"(?i)É.*\"",
    "\"\"", "\".*\"", "\"\\\\Q[\\\\E\"", "\"(a*)*b\"", "\"[[:alpha:]]+\"", "\"\\\\x{110000}\"",
    "\"\\\\1\"", "nil", "7", "text", "uri", "uuid", "bytes", "{}", "next", "date",
  ]

  private static var formats: [String] {
    let signs = ["==", "!=", "<", "BETWEEN", "IN", "CONTAINS", "BEGINSWITH", "MATCHES"]
    var formats = collections.flatMap { collection in
      signs.flatMap { sign in
        ["whole \(sign) \(collection)", "\(collection) \(sign) whole", "nil \(sign) \(collection)"]
          + ["ANY", "ALL", "NONE"].flatMap {
            ["\($0) \(collection) \(sign) 7", "\($0) \(collection) \(sign) nil"]
          }
      } + [
        "\(collection).@count > 0", "SUBQUERY(\(collection), $x, $x.whole > 0).@count > 0",
        "(\(collection))[FIRST] == 1", "TERNARY(\(collection) == nil, 1, 0) == 1",
        "count:(\(collection)) > 0", "sum:(\(collection)) > 0", "NOT \(collection) == nil",
      ]
    }
    for number in numbers {
      formats += ["==", "!=", "<", ">=", "BETWEEN"].map {
        "\(number) \($0) \($0 == "BETWEEN" ? "{-1, 1e300}" : "0")"
      }
      formats += ["NOT \(number) > 0", "whole IN {\(number), 7}", "\(number) == nil"]
      formats += ["ANY #some.whole > \(number)", "TERNARY(\(number) > 0, whole, double) > 0"]
    }
    for pattern in patterns {
      for sign in ["MATCHES", "LIKE", "BEGINSWITH", "ENDSWITH", "CONTAINS", "==", "IN"] {
        for option in ["", "[c]", "[d]", "[cd]", "[l]", "[cdl]", "[n]"] {
          formats += [
            "text \(sign)\(option) \(pattern)", "\(pattern) \(sign)\(option) text",
            "ANY #some.text \(sign)\(option) \(pattern)", "NOT uri \(sign)\(option) \(pattern)",
          ]
        }
      }
    }
    return formats
  }

  @Test(
    "have the same result or error in every evaluation",
    arguments: ExhaustiveRun.stores)
  func shapes(_ store: TestedStore) throws {
    let formats = ExhaustiveRun.sample(Self.formats, most: 1500, "shapes \(store)")
    try ExhaustiveRun.withWorld(in: store) { world in
      var differences: [String] = []
      var (tried, answers) = (0, 0)
      for format in formats {
        guard let predicate = try? NSPredicate(validating: format) else { continue }
        tried += 1
        let outcomes = PredicateOutcomes(predicate, world)
        if outcomes.hasResult { answers += 1 }
        if format.contains("random") { continue }
        // NaN is NULL in a store: "Differences from Apple's Core Data".
        if format.contains("nan"), outcomes.hasResult { continue }
        if let difference = outcomes.difference { differences.append("\(format): \(difference)") }
      }
      #expect(answers > 100, "\(answers) of \(formats.count) have a result")
      #expect(tried > formats.count * 3 / 4, "\(tried) of \(formats.count) can be parsed")
      ExhaustiveRun.expectNone(differences, of: tried)
    }
  }
}
