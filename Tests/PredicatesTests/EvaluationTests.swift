import Foundation
import Predicates
import Testing

/// A type like those that programs declare.
struct Animal: NSKeyValueCoding {
  var name: String?
  var age = 0
  var born: Date?
  var tags: [String] = []
  var young: [Animal] = []

  func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "age": age
    case "born": born
    case "tags": tags
    case "young": young
    default: nil
    }
  }
}

@Suite struct EvaluationTests {
  private let cat = Animal(
    name: "Élise", age: 7, born: Date(timeIntervalSinceReferenceDate: 100), tags: ["a", "b", "c"],
    young: [Animal(name: "Kim", age: 1), Animal(name: "Bo", age: 2), Animal(name: nil, age: 3)])

  private func holds(_ format: String, _ arguments: Any...) throws -> Bool {
    try NSPredicate(validating: format, arguments: arguments).evaluated(with: cat)
  }

  @Test(arguments: [
    "age == 7", "age = 7.0", "age != 8", "age < 8", "age <= 7", "age > 6.5", "age >= 7",
    "age BETWEEN {7, 9}", "age IN {1, 7}", "NOT age IN {1, 2}", "age == '7' OR TRUE == YES",
    "name == 'Élise'", "name ==[cd] 'ELISE'", "name !=[c] 'elise'", "name BEGINSWITH 'É'",
    "name BEGINSWITH[cd] 'eL'", "name ENDSWITH 'se'", "name CONTAINS[d] 'Eli'", "name LIKE '?l*e'",
    "name LIKE[cd] 'e*'", "name MATCHES '.+ise'", "name MATCHES[cd] 'e[a-z]+'", "'li' IN name",
    "name IN[cd] {'x', 'elise'}", "name > 'Zoe'", "name <[cd] 'Zoe'", "SELF.age == 7",
    "born == CAST(100, 'NSDate')", "born < now()", "tags CONTAINS 'b'", "tags CONTAINS[c] 'B'",
    "'c' IN tags", "ANY tags == 'a'", "NOT ALL tags == 'a'", "NONE tags == 'x'",
    "ANY tags BEGINSWITH[c] 'C'", "ANY young.age > 2", "ALL young.age > 0", "ANY young.name == nil",
    "young.@count == 3", "young.@sum.age == 6", "young.@avg.age == 2", "young.@min.age == 1",
    "young.@max.age == 3", "young.@min.name == 'Bo'", "young.@unionOfObjects.name == {'Kim', 'Bo'}",
    "tags.@distinctUnionOfObjects.self == {'a', 'b', 'c'}", "tags.@max.self == 'c'",
    "SUBQUERY(young, $y, $y.age > 1).@count == 2", "SUBQUERY(young, $y, $y.age > 9).@count == 0",
    "SUBQUERY(young, $y, $y.age > 1 AND $y.name == nil).@count == 1", "tags[0] == 'a'",
    "tags[LAST] == 'c'", "tags[FIRST] == 'a'", "tags[SIZE] == 3", "young[1].name == 'Bo'",
    "name.length == 5", "age + 1 == 8", "age - 1 == 6", "age * 2 == 14", "age / 2.0 == 3.5",
    "age ** 2 == 49", "age %% 4 == 3", "age & 3 == 3", "age | 8 == 15", "age ^ 1 == 6",
    "age << 1 == 14", "age >> 1 == 3", "-age == -7", "abs(-age) == 7", "sqrt(49) == age",
    "floor(7.9) == age", "ceiling(6.1) == age", "trunc(-7.9) == -7", "max:(young.age) == 3",
    "sum:(young.age) == 6", "count:(young) == 3", "average:(young.age) == 2",
    "median:({1, 9, 2}) == 2", "mode:({1, 2, 2}) == {2}", "stddev:({2, 4, 4, 4, 5, 5, 7, 9}) == 2",
    "uppercase('é') == 'É'", "lowercase('ABC') == 'abc'", "length('abc') == 3",
    "canonical:('ÉCOLE') == 'ecole'", "onesComplement(0) == -1", "noindex:(age) == 7",
    "TERNARY(age > 3, 'old', 'young') == 'old'", "{1, 2} UNION {2, 3} == {1, 2, 3}",
    "{1, 2} INTERSECT {2, 3} == {2}", "{1, 2} MINUS {2, 3} == {1}",
    "FUNCTION(name, 'uppercaseString') == 'ÉLISE'", "CAST('12', 'NSNumber') == 12",
    "name hasPrefix: 'É'", "TRUEPREDICATE", "4 + 5 - 2**3 == 1",
  ])
  func `a condition is true`(format: String) throws {
    let predicate = try NSPredicate(validating: format)
    #expect(try predicate.evaluated(with: cat))
    #expect(predicate.evaluate(with: cat))
  }

  @Test(arguments: [
    "age == 8", "name == 'E\u{301}lise'", "name == 'élise'", "name CONTAINS ''",
    "name BEGINSWITH ''", "'' CONTAINS ''", "name LIKE 'l*'", "name MATCHES 'lise'",
    "age BETWEEN {8, 9}",
    "age BETWEEN {9, 1}", "ANY tags == 'x'", "FALSEPREDICATE", "name IN 'lis'", "age == '7'",
  ])
  func `a condition is false`(format: String) throws {
    #expect(try !NSPredicate(validating: format).evaluated(with: cat))
  }

  @Test func `nil equals only nil, differs from everything else, and has no order`() throws {
    let unnamed = Animal()
    let expected: [(String, Bool)] = [
      ("name == nil", true), ("name != nil", false), ("name == 'x'", false), ("name != 'x'", true),
      ("name < 'x'", false), ("name >= 'x'", false), ("name <= nil", false),
      ("name BEGINSWITH 'x'", false), ("name CONTAINS 'x'", false), ("name LIKE '*'", false),
      ("name MATCHES '.*'", false), ("name IN {'x'}", false), ("name IN {'x', nil}", true),
      ("name BETWEEN {'a', 'b'}", false), ("born > CAST(0, 'NSDate')", false),
      ("NOT name CONTAINS 'x'", true), ("name.length > 0", false), ("name.length == nil", true),
      ("name == %@", true),
    ]
    for (format, holds) in expected {
      let predicate = try NSPredicate(validating: format, arguments: [NSNull()])
      #expect(try predicate.evaluated(with: unnamed) == holds, "\(format)")
      #expect(try predicate.evaluated(with: ["name": NSNull()]) == holds, "\(format), NSNull")
      #expect(try predicate.evaluated(with: [String: Any]()) == holds, "\(format), dictionary")
      #expect(try predicate.evaluated(with: nil) == holds, "\(format), nil object")
    }
  }

  @Test func `ALL of nothing is true, and ANY of nothing is false`() throws {
    let empty: [String: Any] = ["tags": [String]()]
    #expect(try NSPredicate(validating: "ALL tags == 'x'").evaluated(with: empty))
    #expect(try !NSPredicate(validating: "ANY tags == 'x'").evaluated(with: empty))
    #expect(try NSPredicate(validating: "NONE tags == 'x'").evaluated(with: empty))
    #expect(try NSPredicate(validating: "tags.@count == 0").evaluated(with: empty))
    #expect(try NSPredicate(validating: "tags.@sum.self == 0").evaluated(with: empty))
    #expect(try NSPredicate(validating: "tags.@max.self == nil").evaluated(with: empty))
  }

  @Test(arguments: [
    ("age < 'x'", "7 of type Int and \"x\" of type String have no order, in age < \"x\""),
    ("age LIKE '7'", "LIKE compares text, not 7 of type Int, in age LIKE \"7\""),
    (
      "name MATCHES '('",
      "\"(\" after MATCHES is not a regular expression: the parentheses are unbalanced (U_REGEX_MISMATCHED_PAREN), at character 1"
    ),
    (
      "ANY age == 7",
      "the left side of ALL or ANY must be a collection, not 7 of type Int, in ANY age == 7"
    ),
    (
      "7 IN age",
      "Can't use in/contains operator with collection 7 of type Int (not a collection), in 7 IN age"
    ),
    (
      "age BETWEEN {1}",
      "BETWEEN needs a collection of two values on the right, not {1} of type Array<Any>, in age BETWEEN {1}"
    ),
    ("$x == 1", "the variable $x has no value"),
    ("name + 1 == 2", "add:to: needs numbers, not \"Élise\" of type String"),
    ("name.foo == 2", "String has no value for the key \"foo\""),
    ("tags.@sum.self == 2", "sum: needs numbers, not \"a\" of type String"),
    ("age.@count == 2", "@count needs a collection, not a value of type Int"),
    ("tags.@foo.self == 2", "\"@foo\" is not a key path operator"),
    ("name frobnicate: 3", "frobnicate: is not a method that predicates can call"),
  ])
  func `an error during evaluation states the reason`(format: String, message: String) throws {
    let predicate = try NSPredicate(validating: format)
    let error = #expect(throws: InvalidPredicateError.self) {
      _ = try predicate.evaluated(with: cat)
    }
    #expect(error?.message == message)
  }

  @Test func `the error contains an object without keys`() throws {
    struct Plain {}
    let error = #expect(throws: InvalidPredicateError.self) {
      _ = try NSPredicate(validating: "a.b == 1").evaluated(with: Plain())
    }
    #expect(error?.message == "Plain has no value for the key \"a\"")
  }

  @Test func `variables have the given values`() throws {
    let predicate = NSPredicate(format: "age > $limit AND $list CONTAINS name")
    #expect(
      predicate.evaluate(with: cat, substitutionVariables: ["limit": 3, "list": ["Élise"]]))
    #expect(
      !predicate.evaluate(with: cat, substitutionVariables: ["limit": 30, "list": ["Élise"]]))
  }

  @Test func `the variable of a subquery hides an outer one`() throws {
    let predicate = NSPredicate(format: "SUBQUERY(young, $v, $v.age > 1).@count == $v")
    #expect(predicate.evaluate(with: cat, substitutionVariables: ["v": 2]))
  }

  @Test func `compound predicates of every class and block predicates work together`() throws {
    let block = NSPredicate { object, _ in (object as? Animal)?.age == 7 }
    let compound = Foundation.NSCompoundPredicate(andPredicateWithSubpredicates: [
      block, NSPredicate(format: "age == $x"), NSPredicate(value: true),
    ])
    #expect(compound.evaluate(with: cat, substitutionVariables: ["x": 7]))
    #expect(try compound.evaluated(with: cat, variables: ["x": 7]))
    #expect(try !compound.evaluated(with: cat, variables: ["x": 8]))
    #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: cat))
    #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: cat))
  }

  @Test func `AND and OR stop at the first part that decides`() throws {
    #expect(try NSPredicate(validating: "age == 7 OR $x == 1").evaluated(with: cat))
    #expect(try !NSPredicate(validating: "age == 8 AND $x == 1").evaluated(with: cat))
  }

  @Test func `Foundation's collections filter by this library's predicates`() throws {
    let rows: [[String: Any]] = [["a": 1], ["a": 2], ["a": 3]]
    let predicate = NSPredicate(format: "a >= 2")
    #expect(NSArray(array: rows).filtered(using: predicate).count == 2)
    #expect(NSSet(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF > 1")).count == 2)
    #expect(rows.filter(predicate.evaluate(with:)).count == 2)
  }

  @Test func `numbers compare by value, whatever their type`() throws {
    let values: [Any] = [
      Int8(5), Int64(5), UInt(5), Float(5), 5.0, Decimal(5), NSNumber(value: 5),
      NSDecimalNumber(value: 5), CGFloat(5),
    ]
    for value in values {
      for other in values {
        let equal = try NSPredicate(
          validating: "%@ == %@ AND %@ <= %@", arguments: [value, other, value, other])
        #expect(
          try equal.evaluated(with: nil), "\(value) \(type(of: value)), \(other) \(type(of: other))"
        )
        let unequal = try NSPredicate(validating: "%@ < %@ + 1", arguments: [value, other])
        #expect(try unequal.evaluated(with: nil))
      }
    }
    let big = try NSPredicate(
      validating: "9007199254740993 > 9007199254740992.0 AND 18446744073709551615 > -1")
    #expect(try big.evaluated(with: nil))
  }
}
