import Foundation
import Predicates
import Testing

@Suite struct PrintingTests {
  private func printed(_ format: String, _ arguments: Any...) throws -> String {
    try NSPredicate(validating: format, arguments: arguments).description
  }

  @Test(arguments: [
    ("k == 'x'", #"k == "x""#),
    ("this = that", "this == that"),
    ("a <> 2", "a != 2"),
    ("a =< 2", "a <= 2"),
    ("a => 2", "a >= 2"),
    ("k == YES", "k == 1"),
    ("k == true", "k == 1"),
    ("k == @YES", "k == 1"),
    ("k == no", "k == 0"),
    ("k == @NO", "k == 0"),
    ("k == NULL", "k == nil"),
    ("k != nil", "k != nil"),
    ("k == 42.42", "k == 42.42"),
    ("k == 1.0", "k == 1"),
    ("k == 10.5", "k == 10.5"),
    ("k == -42", "k == -42"),
    ("k == 13.39657778010461", "k == 13.39657778010461"),
    ("k == 1000000000", "k == 1000000000"),
    ("k == 0x1F", "k == 31"),
    ("k == 0b101", "k == 5"),
    ("k == 0o17", "k == 15"),
    ("k == 9.2e-5", "k == 9.2e-05"),
    ("SELF like[c] 'p*s'", #"SELF LIKE[c] "p*s""#),
    ("'%K' like '%@'", #""%K" LIKE "%@""#),
    ("k CONTAINS [dc] 'x'", #"k CONTAINS[cd] "x""#),
    ("k beginswith[n] \"x\"", #"k BEGINSWITH[n] "x""#),
    ("k matches 'a.*'", #"k MATCHES "a.*""#),
    ("k CONTAINS[cdl] 'x'", #"k CONTAINS[cdl] "x""#),
    ("NOT (k > 10)", "NOT k > 10"),
    ("!(k BEGINSWITH 'x')", #"NOT k BEGINSWITH "x""#),
    ("NOT (a == 1 AND b == 2)", "NOT (a == 1 AND b == 2)"),
    ("(v <= a) AND (a <= w) && (b == 1)", "v <= a AND a <= w AND b == 1"),
    ("a == 1 || b == 2 OR c == 3", "a == 1 OR b == 2 OR c == 3"),
    ("a == 'x' AND (b < 13 OR b > 18)", #"a == "x" AND (b < 13 OR b > 18)"#),
    ("a == 1 AND b == 2 OR c == 3 AND d == 4", "(a == 1 AND b == 2) OR (c == 3 AND d == 4)"),
    ("(a == 1 AND b == 2) AND (c == 3 OR d == 4)", "(a == 1 AND b == 2) AND (c == 3 OR d == 4)"),
    ("TRUEPREDICATE", "TRUEPREDICATE"),
    ("falsepredicate", "FALSEPREDICATE"),
    ("NONE r.k == 'x'", #"NOT ANY r.k == "x""#),
    ("SOME r.k == 'x'", #"ANY r.k == "x""#),
    ("ALL k == 21", "ALL k == 21"),
    ("FUNCTION(a, \"pow:\", 3) == 8", #"FUNCTION(a, "pow:" , 3) == 8"#),
    ("FUNCTION('a', 'uppercase') == 'A'", #"FUNCTION("a", "uppercase") == "A""#),
    ("TERNARY(k != nil, k, '') IN {'a', 'b'}", #"TERNARY(k != nil, k, "") IN {"a", "b"}"#),
    ("count:(k) > 2", "count:(k) > 2"),
    ("now() > 3", "now() > 3"),
    ("uppercase('x') == 'X'", #"uppercase:("x") == "X""#),
    ("SUBQUERY(r, $e, $e.k == 'x').@count == 0", #"SUBQUERY(r, $e, $e.k == "x").@count == 0"#),
    (
      "SUBQUERY(r,$a,ANY $a.s.k IN {'x'}).@count > 0",
      #"SUBQUERY(r, $a, ANY $a.s.k IN {"x"}).@count > 0"#
    ),
    ("a.b.c == 'x'", #"a.b.c == "x""#),
    ("SELF.a.b == 1", "a.b == 1"),
    ("a.@count == 3", "a.@count == 3"),
    ("a.k.length == 3", "a.k.length == 3"),
    ("a[size] == 3", "a[SIZE] == 3"),
    ("a[FIRST] == a[LAST]", "a[FIRST] == a[LAST]"),
    ("a[1] == $a", "a[1] == $a"),
    ("(a.d)[0] == 1", "(a.d)[0] == 1"),
    ("a.d[0] == 1", "(a.d)[0] == 1"),
    ("a['key'][0].name == 1", #"a["key"][0].name == 1"#),
    ("$a.$b == 1", "$a.$b == 1"),
    ("k & 3 == 3", "k & 3 == 3"),
    ("4 + 5 - 2**3 == 1", "(4 + 5) - (2 ** 3) == 1"),
    ("a + $b + $c == 1", "(a + $b) + $c == 1"),
    ("#size == 3", "#size == 3"),
    ("a.size == 3", "a.size == 3"),
    ("a UNION b == c", "a UNION b == c"),
    ("k BETWEEN {18, 65}", "k BETWEEN {18, 65}"),
    ("k IN {}", "k IN {}"),
    ("SELF isKindOfClass: x", "SELF isKindOfClass: x"),
    ("k.@max.self == 3", "k.@max.self == 3"),
    ("anykey == 3", "ANYKEY == 3"),
  ])
  func `a format prints in its canonical form`(format: String, canonical: String) throws {
    let predicate = try NSPredicate(validating: format)
    #expect(predicate.description == canonical)
    let again = try NSPredicate(validating: canonical)
    #expect(again == predicate)
    #expect(again.description == canonical)
  }

  @Test func `arguments print as their constants`() throws {
    #expect(try printed("k == %@", NSNull()) == "k == <null>")
    // Swift passes an empty optional to Objective-C as `NSNull`: SE-0140. The tests of QueryKit expect this.
    #expect(try printed("k == %@", Optional<Int>.none as Any) == "k == <null>")
    func constant<Value>(_ value: Value) -> NSExpression { NSExpression(forConstantValue: value) }
    #expect(constant(nil as String?).description == "<null>")
    #expect(constant(nil as String?) == NSExpression(forConstantValue: NSNull()))
    #expect(NSExpression(forConstantValue: nil).description == "nil")
    #expect(try printed("k == %@", true) == "k == 1")
    #expect(try printed("k == %@", NSNumber(value: false)) == "k == 0")
    #expect(try printed("k == %@", UInt16(42)) == "k == 42")
    #expect(try printed("k == %@", 1.0) == "k == 1")
    #expect(try printed("k == %@", Decimal(string: "1.25") as Any) == "k == 1.25")
    #expect(
      try printed("k > %@", Date(timeIntervalSinceReferenceDate: 592_299_475.57712))
        == #"k > CAST(592299475.577120, "NSDate")"#)
    #expect(try printed("k == %@", "Quote \"") == #"k == "Quote \"""#)
    #expect(try printed("k == %@", #"Quote \"#) == #"k == "Quote \\""#)
    #expect(try printed("k == %@", "(😀") == #"k == "(😀""#)
    #expect(try printed("%K like %@", "k", "x") == #"k LIKE "x""#)
    #expect(try printed("%@ like %@", "k", "x") == #""k" LIKE "x""#)
    #expect(try printed("SELF like[c] %@*%@", "p", "s") == #"SELF LIKE[c] "p" * "s""#)
    #expect(try printed("k IN %@", [18, 25, 30]) == "k IN {18, 25, 30}")
    #expect(try printed("k IN %@", ["a", "b"] as Set) == #"k IN {"a", "b"}"#)
    #expect(try printed("NOT (k IN %@)", [1, 2]) == "NOT k IN {1, 2}")
    #expect(try printed("k BETWEEN {%@, %@}", 18, 65) == "k BETWEEN {18, 65}")
    #expect(try printed("%@ + %@ == 2", 1, 1) == "1 + 1 == 2")
    #expect(
      try printed("k == %@", UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any)
        == "k == E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
  }

  @Test func `a key that is not a valid name is printed with codes and parsed again`() throws {
    let predicate = try NSPredicate(validating: "%K == 1", arguments: ["first name.größe.9"])
    #expect(predicate.description == #"first\u0020name.größe.\u0039 == 1"#)
    #expect(try NSPredicate(validating: predicate.description) == predicate)
  }

  @Test func `compounds built in code print like parsed ones`() throws {
    let a = NSPredicate(format: "a == 1")
    let b = NSPredicate(format: "b == 2")
    let c = NSPredicate(format: "c == 3")
    let or = NSCompoundPredicate(orPredicateWithSubpredicates: [b, c])
    #expect(
      NSCompoundPredicate(andPredicateWithSubpredicates: [a, or]).predicateFormat
        == "a == 1 AND (b == 2 OR c == 3)")
    #expect(
      NSCompoundPredicate(notPredicateWithSubpredicate: or).description
        == "NOT (b == 2 OR c == 3)")
    #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).description == "TRUEPREDICATE")
    #expect(NSCompoundPredicate(orPredicateWithSubpredicates: []).description == "FALSEPREDICATE")
    #expect(
      NSCompoundPredicate(
        type: .and, subpredicates: [a, Foundation.NSPredicate(value: true)]
      ).description == "a == 1 AND TRUEPREDICATE")
  }

  // Apple's NSPredicate prints its predicateFormat.
  @Test func `Predicates of Foundation's own class print as their text`() {
    #expect("\(NSPredicate(value: true))" == "TRUEPREDICATE")
    #expect("\(NSPredicate(value: false))" == "FALSEPREDICATE")
    #expect("\(NSPredicate { _, _ in true })".hasPrefix("BLOCKPREDICATE(0x"))
    #expect("\(NSPredicate(format: "a == 1"))" == "a == 1")
    var text = ""
    print(NSPredicate(value: true), terminator: "", to: &text)
    #expect(text == "TRUEPREDICATE")
  }
}
