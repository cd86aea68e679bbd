import Foundation
import Predicates
import Testing

@Suite struct ParsingErrorTests {
  @Test(arguments: [
    ("", 0), ("1", 0), ("TRUE", 0), ("0 || 1", 0), ("age", 0), ("age >", 5), ("age > AND", 6),
    ("age = = 3", 6), ("(age > 3", 8), ("age > 3)", 7), ("name == 'x", 8), ("name == x'", 9),
    ("x NOT IN {1}", 2), ("a == 1 AND", 10), ("a == 1 AND b", 11), ("a == 1 b == 2", 7),
    ("x.0 == 1", 2), ("a12.5 == 1", 4), ("$66.x == 1", 0), ("12abc == 1", 0),
    ("size == 3", 0), ("first == 3", 0), ("name CONTAINS[x] 'a'", 14), ("name CONTAINS[c 'a'", 16),
    ("a IN {1, 2", 10), ("unknown(3) == 1", 0), ("sqrt(1, 2) == 1", 0), ("sqrt(1 == 1) == 1", 5),
    ("FUNCTION(a, b) == 1", 12), ("SUBQUERY(a, b, c == 1).@count == 1", 12),
    ("SUBQUERY(a, $b, c).@count == 1", 16), ("TERNARY(a, 1, 2) == 1", 8), ("a ? b", 2),
    ("a == 1 == 1", 0), ("(a == 1) + 2 == 3", 0), ("ANY a", 5), ("%k == 1", 0),
    ("a == %@", 5), ("a UTI-EQUALS 'x'", 2), ("FETCH(a, b, NO) == 1", 0), ("a == 1 AND NOT", 14),
    ("ünïcödé == 'é' AND ?", 19), ("a == 💥💥 ", 5), ("a := 3", 2), ("#1 == 3", 0), ("@ == 1", 0),
    ("a == {1,}", 8), ("a[ == 1", 3), ("a. == 1", 3),
  ])
  func `a syntax error is rejected at its character`(format: String, position: Int) throws {
    let error = #expect(throws: InvalidPredicateError.self) {
      _ = try NSPredicate(validating: format)
    }
    #expect(error?.position == position, "\(error.map(String.init(describing:)) ?? "")")
    #expect(error?.format == format)
  }

  @Test func `an expression rejects a condition`() {
    for format in ["1 == 1", "TRUEPREDICATE", "NOT a == 1"] {
      let error = #expect(throws: InvalidPredicateError.self) {
        _ = try NSExpression(validating: format)
      }
      #expect(error?.position == 0)
    }
  }

  @Test func `an error has a reason, a position and an excerpt, and converts to an NSError`()
    throws
  {
    let error = try #require(
      #expect(throws: InvalidPredicateError.self) {
        _ = try NSPredicate(validating: "age > 3 AND")
      })
    #expect(error.message == "expected a value, found the end of the text")
    #expect(
      error.localizedDescription
        == #"Unable to parse the format string "age > 3 AND": expected a value, found the end of the text at character 11"#
    )
    #expect(error.excerpt == "age > 3 AND\n           ^")
    let bridged = error as NSError
    #expect(bridged.domain == NSCocoaErrorDomain)
    #expect(bridged.code == 2048)
    #expect(bridged.localizedDescription == error.localizedDescription)
  }

  @Test func `the caret of an excerpt is below the error, also after wide characters`() throws {
    for (format, column) in [
      ("name == '大阪' AND", 18), ("name == '👩‍👩‍👧' AND", 16), ("name == 'é' AND", 15),
    ] {
      let error = try #require(
        #expect(throws: InvalidPredicateError.self) {
          _ = try NSPredicate(validating: format)
        })
      #expect(error.position == format.count)
      #expect(error.excerpt == format + "\n" + String(repeating: " ", count: column) + "^")
    }
  }

  @Test func `wrong arguments are rejected at their position`() throws {
    let cases: [(String, [Any], Int, String)] = [
      (
        "a == %@ AND b == %@", ["x"], 17,
        "argument 2 is missing: 1 passed"
      ),
      ("a == %d", ["x"], 5, #"argument 1: a whole number is needed, not "x" of type String"#),
      ("a == %d", [2.5], 5, #"argument 1: a whole number is needed, not "2.5" of type Double"#),
      ("%K == 1", [3], 0, #"argument 1: %K needs the text of a key path, not "3" of type Int"#),
      ("a == %f", ["x"], 5, #"argument 1: a number is needed, not "x" of type String"#),
      (
        "a == 1 AND %@", [NSPredicate(value: true)], 11,
        "argument 1: a whole predicate cannot be an argument; join predicates with NSCompoundPredicate"
      ),
    ]
    for (format, arguments, position, message) in cases {
      let error = #expect(throws: InvalidPredicateError.self) {
        _ = try NSPredicate(validating: format, arguments: arguments)
      }
      #expect(error?.position == position)
      #expect(error?.message == message)
    }
  }

  @Test func `text that nests too deeply or is too long is rejected, without a crash`() {
    let deep = 20_000
    for format in [
      String(repeating: "(", count: deep) + "a == 1" + String(repeating: ")", count: deep),
      String(repeating: "NOT ", count: deep) + "a == 1",
      String(repeating: "-", count: deep) + "a == 1",
      "a == " + String(repeating: "{", count: deep),
      "a == 1" + String(repeating: " + 1", count: deep),
      "a == 2" + String(repeating: " ** 2", count: deep),
      "a" + String(repeating: "[0]", count: deep) + " == 1",
      "$a" + String(repeating: ".$a", count: deep) + " == 1",
      "a == " + String(repeating: "abs:(", count: deep),
      String(repeating: "SUBQUERY(a, $b, ", count: deep),
      String(repeating: "ANY ", count: deep),
    ] {
      let error = #expect(throws: InvalidPredicateError.self) {
        _ = try NSPredicate(validating: format)
      }
      #expect(error?.message == "the text nests too deeply")
    }
    #expect(throws: InvalidPredicateError.self) {
      _ = try NSPredicate(validating: "a == '" + String(repeating: "x", count: 20_000_001) + "'")
    }
  }

  @Test func `long flat chains parse`() throws {
    let format = (0..<20_000).map { "a == \($0)" }.joined(separator: " OR ")
    let predicate = try NSPredicate(validating: format)
    #expect((predicate as? NSCompoundPredicate)?.subpredicates.count == 20_000)
  }
}
