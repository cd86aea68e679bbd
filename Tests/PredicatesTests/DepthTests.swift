import Foundation
import Testing

@testable import Predicates

/// Deep predicates on a thread with a stack of 512 KB, like secondary threads on Apple's platforms.
@Suite struct DepthTests {
  private func onSmallStack<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) throws -> Result {
    nonisolated(unsafe) var result: Swift.Result<Result, any Error>?
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result = Swift.Result { try body() }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    return try #require(result).get()
  }

  @Test(arguments: [
    ("(", "a == 1", ")"), ("NOT ", "a == 1", ""), ("!(", "a == 1", ")"),
    ("(a == 1 AND ", "a == 1", ")"), ("(a == 2 OR ", "NOT a == 1", ")"), ("abs:(", "a", ")"),
    ("{", "a", "}"), ("-", "a", ""), ("a[", "0", "]"), ("TERNARY(a == 1, ", "a", ", 2)"),
    ("SUBQUERY(kids, $x, ", "a == 1", ").@count == 1"), ("FUNCTION(", "a", ", 'description')"),
    ("CAST(", "a", ", 'NSString')"), ("2 ** ", "a", ""), ("1 + (", "a", ")"),
    ("ANY ", "a == 1", ""), ("", "a", "[0].b"), ("", "$a", ".$a"),
    ("TERNARY(SUBQUERY(kids, $x, (1 + abs:(", "a", ")) > 1).@count > 0, 1, 2)"),
  ])
  func `a string nests as deep as a small stack allows, or is rejected`(
    opening: String, center: String, closing: String
  ) throws {
    var deepest = 0
    for depth in [1, 5, 20, 31, 32, 33, 34, 40, 49, 50, 64, 66, 99, 100, 101, 150, 198, 600] {
      let text =
        String(repeating: opening, count: depth) + center + String(repeating: closing, count: depth)
      let isAccepted = try onSmallStack { () -> Bool in
        let object: [String: Any] = ["a": 1, "kids": [1]]
        if let predicate = try? NSPredicate(validating: text) {
          let again = try NSPredicate(validating: text)
          #expect(predicate == again)
          #expect(predicate.hash == again.hash)
          #expect(try NSPredicate(validating: predicate.description) == predicate)
          #expect(!predicate.description.isEmpty)
          #expect(predicate.nesting <= Parser.maximumDepth)
          _ = predicate.withSubstitutionVariables(["a": "a"])
          _ = try? predicate.evaluated(with: object)
          return true
        }
        guard let expression = try? NSExpression(validating: text) else { return false }
        let again = try NSExpression(validating: text)
        #expect(expression == again)
        #expect(expression.hash == again.hash)
        #expect(try NSExpression(validating: expression.description) == expression)
        #expect(!expression.description.isEmpty)
        #expect(expression.nesting <= Parser.maximumDepth)
        _ = try? expression.value(with: object, variables: ["a": "a"])
        return true
      }
      if isAccepted { deepest = depth }
    }
    #expect(opening == "ANY " || deepest >= 5)
    // Parentheses and NOT need no stack for evaluation, and everything else does.
    #expect(
      deepest
        <= (opening.hasPrefix("(") || opening.hasPrefix("NOT") || opening.hasPrefix("!")
          ? 200 : 100))
  }

  @Test func `the levels of a key path after parentheses end with the path`() throws {
    let part = "(kids.@max.age).x == 1"
    let text = Array(repeating: part, count: 300).joined(separator: " AND ")
    let predicate = try NSPredicate(validating: text)
    #expect((predicate as? NSCompoundPredicate)?.subpredicates.count == 300)
    #expect(try NSPredicate(validating: predicate.description) == predicate)
  }

  @Test func `the height of Foundation's compounds includes all their levels`() throws {
    var expression = NSExpression(forKeyPath: "a")
    for _ in 0..<3 { expression = NSExpression(forFunction: "abs:", arguments: [expression]) }
    var predicate: NSPredicate = NSComparisonPredicate(
      leftExpression: expression, rightExpression: NSExpression(forKeyPath: "b"),
      modifier: .direct, type: .equalTo)
    let height = predicate.height
    let low = NSPredicate(value: true)
    for level in 1...4 {
      predicate = Foundation.NSCompoundPredicate(
        orPredicateWithSubpredicates: level % 2 == 0 ? [low, predicate] : [predicate])
      #expect(predicate.height == height + level)
    }
    #expect(Foundation.NSCompoundPredicate(andPredicateWithSubpredicates: []).height == 1)
  }

  @Test func `a long chain built in code works on a small stack`() throws {
    let count = 5000
    let (holds, text, isEqual) = try onSmallStack { () -> (Bool, Int, Bool) in
      func chain() throws -> NSPredicate {
        var predicate = try NSPredicate(validating: "a == 0")
        for step in 1...count {
          let next = try NSPredicate(validating: "a == %d", arguments: [step])
          predicate =
            step % 1000 == 0
            ? NSCompoundPredicate(andPredicateWithSubpredicates: [
              predicate, NSPredicate(value: true),
            ])
            : NSCompoundPredicate(orPredicateWithSubpredicates: [predicate, next])
          if step % 777 == 0 {
            predicate = NSCompoundPredicate(
              notPredicateWithSubpredicate: NSCompoundPredicate(
                notPredicateWithSubpredicate: predicate))
          }
        }
        return predicate
      }
      let predicate = try chain()
      let substituted = predicate.withSubstitutionVariables([:])
      _ = predicate.hash
      let holds =
        try predicate.evaluated(with: ["a": 3])
        && !predicate.evaluated(with: ["a": -1])
        && predicate.evaluated(with: ["a": 4999], nilRule: .store)
      return (
        holds, predicate.description.utf8.count,
        try predicate == chain() && substituted == predicate
      )
    }
    #expect(holds)
    #expect(text > count * 10)
    #expect(isEqual)
  }

  @Test func `a deep expression built in code is rejected when it is evaluated`() throws {
    let isFine = try onSmallStack { () -> Bool in
      func deep() -> NSExpression {
        var expression = NSExpression(forConstantValue: 1)
        for _ in 0..<20_000 {
          expression = NSExpression(forFunction: "add:to:", arguments: [expression, 1])
        }
        return expression
      }
      let expression = deep()
      #expect(
        throws: InvalidPredicateError("the predicate nests deeper than 100 levels")
      ) { try expression.value(with: nil) }
      let comparison = NSComparisonPredicate(
        leftExpression: expression, rightExpression: deep(), modifier: .direct, type: .equalTo)
      let compound = NSCompoundPredicate(notPredicateWithSubpredicate: comparison)
      #expect(
        throws: InvalidPredicateError("the predicate nests deeper than 100 levels")
      ) { try compound.evaluated(with: nil) }
      _ = compound.hash
      return expression == deep() && compound.description.hasSuffix("1) + 1")
    }
    #expect(isFine)
  }
}
