import Foundation
import Predicates
import Testing

@Suite struct StructureTests {
  @Test func `every predicate has a shape, whatever its class`() throws {
    func shape(_ predicate: NSPredicate) -> String {
      switch predicate.shape {
      case .constant(let value): "constant \(value)"
      case .comparison: "comparison"
      case .compound(let type, let parts): "\(type) \(parts.count)"
      case .block: "block"
      case .custom: "custom"
      }
    }
    final class Own: NSPredicate {}
    #expect(shape(NSPredicate(value: true)) == "constant true")
    #expect(shape(NSPredicate(value: false)) == "constant false")
    #expect(shape(NSPredicate(format: "TRUEPREDICATE")) == "constant true")
    #expect(shape(NSPredicate(block: { _, _ in true })) == "block")
    #expect(shape(NSPredicate(format: "a == 1")) == "comparison")
    #expect(shape(NSPredicate(format: "a == 1 OR b == 2")) == "or 2")
    #expect(
      shape(Foundation.NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(value: true)))
        == "not 1")
    #expect(shape(Own(value: true)) == "custom")
  }

  @Test func `equality is by structure`() throws {
    func predicate(_ format: String, _ arguments: Any...) throws -> NSPredicate {
      try NSPredicate(validating: format, arguments: arguments)
    }
    #expect(try predicate("a == 1 AND b == 'x'") == predicate("(a = 1) && (b = %@)", "x"))
    #expect(try predicate("a == 1") != predicate("a == 2"))
    #expect(try predicate("a == 1") != predicate("a != 1"))
    #expect(try predicate("a == 'x'") != predicate("a ==[c] 'x'"))
    #expect(try predicate("a == nil") != predicate("a == %@", NSNull()))
    #expect(try predicate("a == 1") == predicate("a == %@", true))
    #expect(try predicate("a == 1") == predicate("a == %@", 1.0))
    #expect(try predicate("a IN {1, 2}") == predicate("a IN %@", [1, 2]))
    #expect(try predicate("a == \"\u{e9}\"") != predicate("a == \"e\u{301}\""))
    #expect(try predicate("TRUEPREDICATE") == NSPredicate(value: true))
    #expect(NSPredicate(value: true).isEqual(try predicate("TRUEPREDICATE")))
    #expect(!NSPredicate(value: false).isEqual(try predicate("a == 1")))
    #expect(try predicate("a == 1").hash == predicate("a == %@", 1.0).hash)
    #expect(
      try predicate("a IN {1, 2}").hash == predicate("a IN %@", [1, 2]).hash)
    #expect(NSExpression(forKeyPath: "self.a") == NSExpression(forKeyPath: "a"))
    #expect(
      NSExpression.expressionForEvaluatedObject() === NSExpression.expressionForEvaluatedObject())
  }

  @Test func `copying a predicate returns the predicate itself`() throws {
    let predicate = NSPredicate(format: "a == 1 AND b == 2")
    #expect(predicate.copy() as? NSPredicate === predicate)
    let expression = NSExpression(forKeyPath: "a")
    #expect(expression.copy() as? NSExpression === expression)
  }

  @Test func `variables are replaced everywhere except in the subquery that binds them`() throws {
    let template = try NSPredicate(
      validating: "a == $v AND SUBQUERY(r, $v, $v.k > $w).@count > 0 AND $o.name == 'x'")
    let variables: [String: Any] = ["v": 1, "w": 2, "o": NSExpression(forKeyPath: "team")]
    let result = template.withSubstitutionVariables(variables)
    #expect(
      result.description
        == #"a == 1 AND SUBQUERY(r, $v, $v.k > 2).@count > 0 AND team.name == "x""#)
    #expect(
      NSPredicate(format: "k LIKE[c] $X").withSubstitutionVariables(["X": "Turner"])
        .description == #"k LIKE[c] "Turner""#)
  }

  @Test func `a variable's value on the right side of a comparison becomes a constant`() throws {
    let template = try NSPredicate(validating: "a == $v")
    for value: Any in [7, "x", NSNull(), [1, 2], Date(timeIntervalSince1970: 5), Int?.none as Any] {
      let result = try #require(
        template.withSubstitutionVariables(["v": value]) as? NSComparisonPredicate)
      #expect(result.rightExpression == NSExpression(forConstantValue: value))
      #expect(result.rightExpression === result.rightExpression)
      let made = NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "a"),
        rightExpression: NSExpression(forConstantValue: value), modifier: .direct, type: .equalTo)
      #expect(result == made && result.hash == made.hash)
      #expect(result.description == made.description)
      #expect(result.withSubstitutionVariables(["v": 1]) === result)
    }
  }

  @Test func `the error contains a variable without a value`() throws {
    let error = #expect(throws: InvalidPredicateError.self) {
      _ = try NSPredicate(validating: "a == $v").substituting(["w": 1])
    }
    #expect(error?.message == "the variable $v has no value")
  }

  @Test func `parts without variables are shared after a substitution`() throws {
    let template = try #require(
      NSPredicate(format: "a == 1 AND b == $v") as? NSCompoundPredicate)
    let result = try #require(
      template.substituting(["v": 2]) as? NSCompoundPredicate)
    #expect(result.subpredicates[0] === template.subpredicates[0])
    #expect(result.description == "a == 1 AND b == 2")
  }

  /// Source: tests of CosmicMind's Graph.
  @Test func `a compound of one part prints as its part`() {
    let either = NSPredicate(format: "a == 1 OR b == 2")
    let only = NSCompoundPredicate(andPredicateWithSubpredicates: [either])
    #expect(only.predicateFormat == "a == 1 OR b == 2")
    let both = NSCompoundPredicate(
      andPredicateWithSubpredicates: [only, NSPredicate(format: "c == 3")])
    #expect(both.predicateFormat == "(a == 1 OR b == 2) AND c == 3")
    #expect(
      NSCompoundPredicate(notPredicateWithSubpredicate: only).predicateFormat
        == "NOT (a == 1 OR b == 2)")
  }

  /// Source: CosmicMind's Graph inserts the text of such a comparison into a SUBQUERY.
  @Test func `a key path that begins with a variable's name prints unchanged`() {
    #expect(NSExpression(forKeyPath: "$v.name").description == "$v.name")
  }

  @Test func `expressions made in code equal those made from text`() throws {
    let a = NSExpression(forKeyPath: "a")
    let one = NSExpression(forConstantValue: 1)
    let cases: [(NSExpression, String)] = [
      (NSExpression(forFunction: "add:to:", arguments: [a, 1]), "a + 1"),
      (NSExpression(forFunction: "max:", arguments: [a]), "max:(a)"),
      (NSExpression(forAggregate: [a, one, "x"]), "{a, 1, 'x'}"),
      (NSExpression(forUnionSet: a, with: one), "a UNION 1"),
      (NSExpression(forVariable: "v"), "$v"),
      (
        NSExpression(
          forSubquery: a, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x > 1")),
        "SUBQUERY(a, $x, $x > 1)"
      ),
      (
        NSExpression(
          forConditional: NSPredicate(format: "a > 1"), trueExpression: a, falseExpression: one),
        "TERNARY(a > 1, a, 1)"
      ),
      (
        NSExpression(forFunction: a, selectorName: "valueForKeyPath:", arguments: ["b"]),
        "FUNCTION(a, 'valueForKeyPath:', 'b')"
      ),
      (NSExpression(format: "%K + %d", "a", 1), "a + 1"),
    ]
    for (expression, text) in cases {
      #expect(expression == (try NSExpression(validating: text)), "\(text)")
    }
  }
}
