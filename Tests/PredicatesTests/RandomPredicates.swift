import FixtureSupport
import Foundation
import Predicates

/// Makes random predicates of all kinds that a format string can express.
struct RandomPredicates {
  var random: SeededGenerator

  init(_ name: String) { random = SeededGenerator(name) }

  mutating func predicate(depth: Int) -> NSPredicate {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &random) {
    case 0:
      return NSPredicate(format: Bool.random(using: &random) ? "TRUEPREDICATE" : "FALSEPREDICATE")
    case 1..<5: return comparison(depth: depth - 1)
    case 5: return NSCompoundPredicate(notPredicateWithSubpredicate: predicate(depth: depth - 1))
    default:
      return NSCompoundPredicate(
        type: Bool.random(using: &random) ? .and : .or,
        subpredicates: (0..<Int.random(in: 2...4, using: &random)).map { _ in
          predicate(depth: depth - 1)
        })
    }
  }

  private mutating func comparison(depth: Int) -> NSPredicate {
    let left = expression(depth: depth)
    let right = expression(depth: depth)
    if Int.random(in: 0..<30, using: &random) == 0 {
      return NSComparisonPredicate(
        leftExpression: left, rightExpression: right, customSelector: "isEqual:")
    }
    let types: [UInt] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99, 100]
    let type = NSComparisonPredicate.Operator(rawValue: pick(types)) ?? .equalTo
    let modifier =
      Int.random(in: 0..<4, using: &random) == 0
      ? NSComparisonPredicate.Modifier(rawValue: UInt.random(in: 1...2, using: &random)) ?? .any
      : .direct
    let options =
      Bool.random(using: &random)
      ? [] : NSComparisonPredicate.Options(rawValue: UInt.random(in: 0...15, using: &random))
    return NSComparisonPredicate(
      leftExpression: left, rightExpression: right, modifier: modifier, type: type,
      options: options)
  }

  mutating func expression(depth: Int) -> NSExpression {
    guard depth > 0 else { return leaf() }
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<5: return leaf()
    case 5:
      let function = pick(PredefinedFunction.allCases)
      let count = min(function.argumentCount.lowerBound, 2)
      // The argument of CAST is a key path, because the parser replaces the CAST of a constant by its result.
      let arguments = (0..<count).map { _ in
        function == .cast ? NSExpression(forKeyPath: "a") : expression(depth: depth - 1)
      }
      return NSExpression(forFunction: function.rawValue, arguments: arguments)
    case 6, 7:
      let names = [
        "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:",
        "bitwiseAnd:with:", "leftshift:by:",
      ]
      return NSExpression(
        forFunction: pick(names),
        arguments: [expression(depth: depth - 1), expression(depth: depth - 1)])
    case 8: return expression(depth: depth - 1).appending(keyPath: pick(["k", "a.b", "@count"]))
    case 9:
      return NSExpression(
        forSubquery: expression(depth: depth - 1), usingIteratorVariable: pick(["x", "y"]),
        predicate: predicate(depth: depth - 1))
    case 10:
      return NSExpression(
        forAggregate: (0..<Int.random(in: 0...3, using: &random)).map { _ in
          expression(depth: depth - 1)
        })
    case 11:
      return NSExpression(
        forConditional: predicate(depth: depth - 1), trueExpression: expression(depth: depth - 1),
        falseExpression: expression(depth: depth - 1))
    case 12:
      return NSExpression(
        forFunction: expression(depth: depth - 1), selectorName: pick(["foo", "foo:bar:"]),
        arguments: (0..<Int.random(in: 0...2, using: &random)).map { _ in
          expression(depth: depth - 1)
        })
    default:
      let left = expression(depth: depth - 1)
      let right = expression(depth: depth - 1)
      return pick([
        NSExpression(forUnionSet: left, with: right),
        NSExpression(forIntersectSet: left, with: right),
        NSExpression(forMinusSet: left, with: right),
      ])
    }
  }

  private mutating func leaf() -> NSExpression {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .expressionForEvaluatedObject()
    case 1: return NSExpression(forVariable: pick(["x", "y", "z1"]))
    case 2, 3:
      return NSExpression(
        forKeyPath: pick([
          "a", "a.b.c", "size", "a.first", "r.@count", "größe", "two words", "not", "union",
          "@max.self", "UTI", "x.9", "_x1",
        ]))
    default: return NSExpression(forConstantValue: constant())
    }
  }

  private mutating func constant() -> Any? {
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return nil
    case 1: return Bool.random(using: &random)
    case 2: return Int.random(in: -10...10, using: &random)
    case 3: return pick([Int.max, Int.min, 0])
    case 4: return Double.random(in: -1e6...1e6, using: &random)
    case 5: return pick([1e300, 1e-300, 0.1, -0.5, 1e16, .infinity, -.infinity])
    case 6:
      return Date(
        timeIntervalSinceReferenceDate: Double(
          Int.random(in: -1_000_000...1_000_000, using: &random)) / 4)
    case 7: return UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    case 8: return Data([1, 2, UInt8.random(in: 0...255, using: &random)])
    case 9: return [1, 2, Int.random(in: 0...9, using: &random)]
    case 10: return URL(string: "https://example.org/a?b=c")
    default:
      return (0..<Int.random(in: 0...6, using: &random)).map { _ in
        pick(["a", "\"", "'", "\\", "\n", "%@", "$x", "é", "😀", "{", " AND ", "\u{1}"])
      }.joined()
    }
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }
}
