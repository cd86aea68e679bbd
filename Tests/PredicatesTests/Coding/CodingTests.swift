import FixtureSupport
import Foundation
import Predicates
import Testing

@Suite("Archives")
struct CodingTests {
  private func archived(_ predicate: NSPredicate) throws -> NSPredicate? {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: predicate, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
  }

  private func archived(_ expression: NSExpression) throws -> NSExpression? {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: expression, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExpression.self, from: data)
  }

  @Test(arguments: [
    "TRUEPREDICATE", "FALSEPREDICATE", "a == 1", "NOT a.b.c != \"x\"",
    "a == 1 AND b == nil OR c < 2.5",
    "ANY a.b BEGINSWITH[cd] 'x'", "ALL a LIKE[n] 'x*'", "a MATCHES 'b.*'", "a ENDSWITH[c] 'x'",
    "a IN {1, 2, 'x'}", "a BETWEEN {1, $v}", "a CONTAINS[cdl] 'x'", "SELF == $v", "$v.a.b > 3",
    "SUBQUERY(a, $x, $x.b > 1 AND SUBQUERY(b, $y, $y == $x).@count > 0).@count == 2",
    "TERNARY(a > 1, b, nil) == 2", "a + b * 2 - abs(c) >= sum:({1, 2})", "now() > d",
    "a[FIRST] == b[LAST]", "a[SIZE] == 3", "a['k'] == 1", "FUNCTION(a, 'uppercase') == 'X'",
    "a UNION b == c INTERSECT d", "a MINUS b == {}", "a isEqual: 3", "CAST(a, 'NSDate') == nil",
    "a == 0x7fffffffffffffff", "a == 1e300", "(a.b)[0].c == 1",
    "a == E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
    "a >[c] 'x'", "a <=[l] 'x'",
  ])
  func `archives keep predicates that have a textual form`(_ format: String) throws {
    let predicate = try NSPredicate(validating: format)
    let result = try #require(try archived(predicate))
    #expect(result == predicate)
    #expect(result.description == predicate.description)
    #expect(result.hash == predicate.hash)
    // Archives the unarchived predicate again.
    #expect(try archived(result) == predicate)
  }

  @Test func `archives keep random predicates and expressions`() throws {
    var random = RandomPredicates("coded predicates")
    for _ in 0..<300 {
      let predicate = random.predicate(depth: 3)
      #expect(try archived(predicate) == predicate, "\(predicate)")
      let expression = random.expression(depth: 3)
      #expect(try archived(expression) == expression, "\(expression)")
    }
  }

  @Test func `archives keep constants of every type`() throws {
    let values: [Any?] = [
      nil, NSNull(), true, false, 3, -7.25, Int.min, UInt64.max, Float(1.5), "é\"\n",
      Date(timeIntervalSinceReferenceDate: 1.5), Data([0, 255]), UUID(),
      URL(string: "https://example.org/a?b=c"), Decimal(string: "-123456789012345678901234567.89"),
      NSDecimalNumber(string: "0.001"), Decimal(0),
      [1, "x", [Date(timeIntervalSinceReferenceDate: 3)]],
      ["k": 1, "l": [2]], Set([1, 2]), NSOrderedSet(array: ["b", "a"]),
    ]
    for value in values {
      let expression = NSExpression(forConstantValue: value)
      let result = try #require(try archived(expression))
      #expect(result == expression, "\(String(describing: value))")
      #expect(
        result.description == expression.description || value is Set<Int> || value is [String: Any])
    }
  }

  @Test(arguments: [
    "340282366920938463463374607431768211455", "-340282366920938463463374607431768211455e127",
    "340282366920938463463374607431768211455e-128", "100000000000000000000000000000000000001",
    "99999999999999999999999999999999999999", "65536", "65535e-3", "4294967296",
  ])
  func `archives keep every digit of a decimal number`(text: String) throws {
    let number = try #require(Decimal(string: text))
    let expression = NSExpression(forConstantValue: number)
    let result = try #require(try archived(expression)?.constantValue as? NSDecimalNumber)
    #expect(result.decimalValue.description == number.description)
    let (bytes, count) = number.words
    #expect(Decimal(words: bytes, order: 1) == number.significand)
    #expect(bytes[(2 * count)...].allSatisfy { $0 == 0 })
    #expect(count == 0 || bytes[2 * count - 1] != 0 || bytes[2 * count - 2] != 0)
  }

  @Test func `archives keep every kind of predicate and expression`() throws {
    #expect(try archived(NSPredicate(value: true))?.evaluate(with: nil) == true)
    #expect(try archived(NSPredicate(value: false))?.evaluate(with: nil) == false)
    let compound = Foundation.NSCompoundPredicate(
      orPredicateWithSubpredicates: [NSPredicate(value: false), NSPredicate(format: "SELF == 1")])
    #expect(try archived(compound)?.evaluate(with: 1) == true)
    #expect(try archived(compound)?.evaluate(with: 2) == false)
    #expect(try archived(NSExpression.expressionForAnyKey()) == .expressionForAnyKey())
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSComparisonPredicate.self,
        from: NSPredicate(format: "a == 1").archivedData())?.predicateFormat == "a == 1")
    #expect(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSCompoundPredicate.self,
        from: NSPredicate(format: "a == 1 OR b == 2").archivedData())?.subpredicates.count == 2)
    let array = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: [NSPredicate(format: "a == 1"), NSExpression(forKeyPath: "b")]
      ),
      requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSArray.self, NSPredicate.self, NSExpression.self], from: array)
    #expect((read as? NSArray)?.firstObject as? NSPredicate == NSPredicate(format: "a == 1"))
  }

  @Test func `an unarchived predicate can be evaluated, with and without allowEvaluation`() throws {
    let predicate = try #require(try archived(NSPredicate(format: "SELF > 1")))
    #expect(predicate.evaluate(with: 2))
    predicate.allowEvaluation()
    #expect(predicate.evaluate(with: 2))
    let expression = try #require(try archived(NSExpression(format: "1 + 1")))
    expression.allowEvaluation()
    #expect(expression.expressionValue(with: nil, context: nil) as? Int == 2)
  }

  @Test func `predicates made of Swift code cannot be archived`() throws {
    struct Own {}
    let refused: [(NSPredicate, String)] = [
      (NSPredicate(block: { _, _ in true }), "it contains a predicate made of Swift code"),
      (
        NSPredicate(format: "a == %@", NSExpression(block: { _, _, _ in 1 }, arguments: nil)),
        "it contains an expression made of Swift code"
      ),
      (
        NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(block: { _, _ in true })),
        "it contains a predicate made of Swift code"
      ),
      (
        NSPredicate(format: "a == %@", argumentArray: [Own()]), "it contains a constant of type Own"
      ),
    ]
    for (predicate, reason) in refused {
      let error = #expect(throws: InvalidPredicateError.self) { try predicate.archivedData() }
      #expect(error?.message == "The predicate cannot be archived: \(reason)")
      // Foundation's archiver cannot be stopped, so it writes an archive that cannot be read. The archive contains the
      // reason, but Foundation's unarchiver replaces it with an error of its own.
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: predicate, requiringSecureCoding: true)
      let readError = #expect(throws: (any Error).self) {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
      }
      #expect((readError as NSError?)?.code == CocoaError.coderReadCorrupt.rawValue)
    }
    #expect(throws: InvalidPredicateError.self) {
      try NSExpression(block: { _, _, _ in 1 }, arguments: nil).archivedData()
    }
    var deep: NSPredicate = NSPredicate(format: "a == 1")
    for _ in 0..<1000 { deep = NSCompoundPredicate(notPredicateWithSubpredicate: deep) }
    #expect(throws: InvalidPredicateError.self) { try deep.archivedData() }
    _ = try NSKeyedArchiver.archivedData(withRootObject: deep, requiringSecureCoding: true)
  }

  @Test func `archives contain Apple's class and key names`() throws {
    let data = try NSPredicate(format: "a BEGINSWITH 'x' AND TRUEPREDICATE AND sqrt(b.c) > 1")
      .archivedData()
    let list = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    let objects = try #require(list?["$objects"] as? [Any])
    var names: Set<String> = []
    for case let object as [String: Any] in objects {
      if let hint = (object["$classhints"] as? [String])?.first {
        names.insert(hint)
      } else if let name = object["$classname"] as? String {
        names.insert(name)
      }
    }
    #expect(
      names == [
        "NSCompoundPredicate", "NSComparisonPredicate", "NSTruePredicate", "NSKeyPathExpression",
        "NSSelfExpression", "NSKeyPathSpecifierExpression", "NSConstantValueExpression",
        "NSFunctionExpression", "NSSubstringPredicateOperator", "NSComparisonPredicateOperator",
        "NSArray",
      ])
  }

  @Test func `damaged archives throw errors`() throws {
    let predicate = NSPredicate(
      format: "a BEGINSWITH 'x' AND SUBQUERY(b, $x, $x.c IN {1, 2}).@count > 2 OR NOT d == %@",
      Date(timeIntervalSinceReferenceDate: 0))
    let data = try predicate.archivedData()
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: NSPredicate.self, from: data.prefix(data.count / 2))
    }
    let text = try #require(
      String(
        data: PropertyListSerialization.data(
          fromPropertyList: PropertyListSerialization.propertyList(from: data, format: nil),
          format: .xml, options: 0), encoding: .utf8))
    for (old, new) in [
      ("NSPredicateOperator<", "NSPredicateOther<"), ("NSLeftExpression<", "NSOther<"),
      (
        "<key>NSOperatorType</key>\n\t\t\t<integer>8<",
        "<key>NSOperatorType</key>\n\t\t\t<integer>55<"
      ),
      ("Predicates.SubqueryExpression", "Predicates.NoExpression"),
      ("<string>_NSPredicateUtilities", "<string>NSFileManager"),
    ] {
      guard text.contains(old) else { continue }
      let damaged = Data(text.replacingOccurrences(of: old, with: new).utf8)
      #expect(throws: (any Error).self, "\(old)") {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: damaged)
      }
    }
  }
}
