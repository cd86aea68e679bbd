import Foundation
import Predicates
import Testing

@Suite struct ParsingTests {
  private func comparison(_ format: String, _ arguments: Any...) throws -> NSComparisonPredicate {
    let predicate = try NSPredicate(validating: format, arguments: arguments)
    return try #require(predicate as? NSComparisonPredicate)
  }

  @Test func `a key path with several dots is one expression`() throws {
    for format in ["a.b.c == 1", "SELF.a.b.c == 1", "(a.b).c == 1", "%K.b.%K == 1"] {
      let left = try comparison(format, "a", "c").leftExpression
      #expect(left.expressionType == .keyPath, "\(format)")
      #expect(left.keyPath == "a.b.c", "\(format)")
    }
    #expect(try comparison("kids.@count > 1").leftExpression.keyPath == "kids.@count")
    #expect(try comparison("%K.@count > 1", "kids").leftExpression.keyPath == "kids.@count")
    #expect(try comparison("SELF.@count > 1").leftExpression.keyPath == "@count")
    #expect(try comparison("@count > 1").leftExpression.keyPath == "@count")
  }

  @Test func `a key path after a variable keeps the variable as its operand`() throws {
    let left = try comparison("$x.a.b == 1").leftExpression
    #expect(left.expressionType == .function)
    #expect(left.function == "valueForKeyPath:")
    #expect(left.operand.variable == "x")
    #expect(left.keyPath == "a.b")
    #expect(left.variableKeyPath?.variable == "x")
    #expect(left.variableKeyPath?.keyPath == "a.b")
  }

  @Test func `a count of a subquery keeps the subquery as its operand`() throws {
    let left = try comparison("SUBQUERY(kids, $k, $k.age > 3).@count > 1").leftExpression
    let (operand, keyPath) = try #require(left.operandKeyPath)
    #expect(keyPath == "@count")
    #expect(operand.expressionType == .subquery)
    #expect(operand.variable == "k")
    #expect((operand.collection as? NSExpression)?.keyPath == "kids")
    #expect(operand.predicate.description == "$k.age > 3")
  }

  @Test func `operators, options and modifiers have Apple's raw values`() throws {
    let operators: [(String, UInt)] = [
      ("<", 0), ("<=", 1), (">", 2), (">=", 3), ("==", 4), ("!=", 5), ("MATCHES", 6), ("LIKE", 7),
      ("BEGINSWITH", 8), ("ENDSWITH", 9), ("IN", 10), ("CONTAINS", 99), ("BETWEEN", 100),
    ]
    for (spelling, number) in operators {
      #expect(try comparison("a \(spelling) b").predicateOperatorType.rawValue == number)
    }
    #expect(try comparison("a isEqual: b").predicateOperatorType.rawValue == 11)
    #expect(try comparison("a isEqual: (b + 1)").rightExpression.description == "b + 1")
    #expect(try comparison("a ==[cdnl] b").options.rawValue == 15)
    #expect(try comparison("a == b").comparisonPredicateModifier.rawValue == 0)
    #expect(try comparison("ALL a == b").comparisonPredicateModifier.rawValue == 1)
    #expect(try comparison("ANY a == b").comparisonPredicateModifier.rawValue == 2)
  }

  @Test func `expressions have Apple's types and parts`() throws {
    let types: [(String, UInt)] = [
      ("1", 0), ("'x'", 0), ("nil", 0), ("SELF", 1), ("$x", 2), ("a.b", 3), ("a + 1", 4),
      ("abs:(a)", 4), ("a UNION b", 5), ("a INTERSECT b", 6), ("a MINUS b", 7),
      ("SUBQUERY(a, $x, $x > 1)", 13), ("{1, 2}", 14), ("ANYKEY", 15),
      ("TERNARY(a > 1, 1, 2)", 20),
    ]
    for (format, number) in types {
      #expect(try NSExpression(validating: format).expressionType.rawValue == number, "\(format)")
    }
    let difference = try NSExpression(validating: "a - 1")
    #expect(difference.function == "from:subtract:")
    #expect(difference.arguments?.first?.keyPath == "a")
    #expect(difference.arguments?.last?.constantValue as? Int == 1)
    let choice = try NSExpression(validating: "TERNARY(a > 1, 1, 2)")
    #expect(choice.predicate.description == "a > 1")
    #expect(choice.true.constantValue as? Int == 1)
    #expect(choice.false.constantValue as? Int == 2)
    let union = try NSExpression(validating: "a UNION b")
    #expect(union.left.keyPath == "a")
    #expect(union.right.keyPath == "b")
    #expect(try NSExpression(validating: "nil").constantValue == nil)
    #expect((try NSExpression(validating: "{1, 2}").collection as? [NSExpression])?.count == 2)
  }

  @Test func `operators have the language's precedence`() throws {
    func text(_ format: String) throws -> String {
      try NSExpression(validating: format).description
    }
    #expect(try text("1 + 2 * 3") == "1 + (2 * 3)")
    #expect(try text("(1 + 2) * 3") == "(1 + 2) * 3")
    #expect(try text("10 - 3 - 2") == "(10 - 3) - 2")
    #expect(try text("2 ** 3 ** 2") == "2 ** (3 ** 2)")
    #expect(try text("1 | 2 & 3 << 1") == "1 | (2 & (3 << 1))")
    #expect(try text("-a * 2") == "(a * -1) * 2")
    #expect(try text("a -1") == "a - 1")
    #expect(try text("7 %% 2") == "modulus:by:(7, 2)")
    #expect(try comparison("2 | 1 == 3").leftExpression.description == "2 | 1")
    #expect(
      try NSPredicate(validating: "NOT a == 1 AND b == 2").description
        == "(NOT a == 1) AND b == 2")
  }

  @Test func `numbers of every form are read`() throws {
    func value(_ format: String) throws -> Any? {
      try NSExpression(validating: format).constantValue
    }
    #expect(try value("0xFF") as? Int == 255)
    #expect(try value("0o17") as? Int == 15)
    #expect(try value("0b1010") as? Int == 10)
    #expect(try value("2.71") as? Double == 2.71)
    #expect(try value("9.2e-5") as? Double == 9.2e-5)
    #expect(try value("1e3") as? Double == 1000)
    #expect(try value(".5") as? Double == 0.5)
    #expect(try value("-9223372036854775808") as? Int == Int.min)
    #expect(try value("18446744073709551615") as? UInt64 == UInt64.max)
    #expect(try value("18446744073709551616") as? Double == 18446744073709551616)
  }

  @Test func `strings resolve their escapes and nothing else`() throws {
    func value(_ format: String) throws -> String? {
      try NSExpression(validating: format).constantValue as? String
    }
    #expect(try value(#""it's""#) == "it's")
    #expect(try value(#"'say "hi"'"#) == #"say "hi""#)
    #expect(try value(#""a\"b\\c\n\t""#) == "a\"b\\c\n\t")
    #expect(try value(#""\x41\101\u00e9""#) == "AA\u{e9}")
    #expect(try value("'%@ %K $x 100%%'") == "%@ %K $x 100%%")
  }

  @Test func `arguments become constants, key paths and expressions`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    #expect(try comparison("a > %@", date).rightExpression.constantValue as? Date == date)
    #expect(try comparison("a > %d", 5).rightExpression.constantValue as? Int == 5)
    #expect(try comparison("a > %lld", Int64(5)).rightExpression.constantValue as? Int64 == 5)
    #expect(try comparison("a > %lud", UInt(5)).rightExpression.constantValue as? UInt == 5)
    #expect(try comparison("a > %.2f", 5).rightExpression.constantValue as? Double == 5)
    #expect(try comparison("a > %s", "x").rightExpression.constantValue as? String == "x")
    #expect(try comparison("a > %x", 255).rightExpression.constantValue as? Int == 255)
    #expect(try comparison("%K > 1", "a.b").leftExpression.keyPath == "a.b")
    #expect(try comparison("%K > 1", "self").leftExpression.expressionType == .evaluatedObject)
    let variable = NSExpression(forVariable: "v")
    #expect(try comparison("a > %@", variable).rightExpression === variable)
    #expect(NSPredicate(format: "a > %@ AND b IN %@", date, [1, 2]).description.hasPrefix("a > C"))
    #expect(NSPredicate(format: "a > %@", argumentArray: [1]).description == "a > 1")
    #expect(NSPredicate(format: "a > 1", argumentArray: nil).description == "a > 1")
    #expect(NSPredicate(format: "a > %@", UUID() as any CVarArg).description.count == 40)
  }
}
