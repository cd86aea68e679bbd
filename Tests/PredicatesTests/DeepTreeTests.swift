import Foundation
@testable import Predicates
import Testing

@Suite("Deeply nested predicates")
struct DeepTreeTests {
  private func nested(_ depth: Int, _ leaf: String = "a == $v") throws -> NSPredicate {
    var predicate = try NSPredicate(validating: leaf)
    let other = try NSPredicate(validating: "b == 2")
    for level in 0..<depth {
      predicate =
        level % 3 == 0
        ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        : NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, other])
    }
    return predicate
  }

  @Test func `predicates of 10,000 levels are compared, hashed, copied, substituted and released`()
    throws
  {
    let one = try nested(10_000)
    let two = try nested(10_000)
    #expect(one == two)
    #expect(one.hash == two.hash)
    #expect(try one != nested(10_000, "a == 1"))
    #expect(one.copy() as? NSPredicate === one)
    let substituted = one.withSubstitutionVariables(["v": 1])
    #expect(try substituted == nested(10_000, "a == 1"))
    #expect(substituted != one)
    #expect(throws: InvalidPredicateError.self) { try one.archivedData() }
  }

  /// The releasing thread and the queue that releases on its behalf compete for the same
  /// references. Whichever is faster, neither may recurse level by level.
  @Test func `deep predicates can be released repeatedly on a small stack`() throws {
    let leaf = NSExpression(forKeyPath: "a")
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      for round in 0..<16 {
        var expression = leaf
        for _ in 0..<4_000 {
          expression = NSExpression(forFunction: "abs:", arguments: [expression])
        }
        guard round % 2 == 0 else { continue }
        var predicate: NSPredicate = NSComparisonPredicate(
          leftExpression: expression, rightExpression: leaf, modifier: .direct, type: .equalTo)
        for _ in 0..<4_000 {
          predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
        }
      }
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
  }

  @Test func `a deep expression as a variable's value makes the predicate deep`() throws {
    var value = NSExpression(forKeyPath: "a")
    for _ in 0..<5_000 { value = NSExpression(forFunction: "abs:", arguments: [value]) }
    let template = try NSPredicate(validating: "b == 1 AND (a == $v OR c == $w)")
    let result = template.withSubstitutionVariables(["v": value, "w": 2])
    #expect(result.height == value.height + 3)
    #expect(result.nesting == value.nesting)
    let low = template.withSubstitutionVariables(["v": NSExpression(forKeyPath: "d"), "w": 2])
    #expect(low.height == template.height && low.nesting == template.nesting)
    #expect(low.description == "b == 1 AND (a == d OR c == 2)")
    #expect(result.hash == template.withSubstitutionVariables(["v": value, "w": 2]).hash)
  }

  @Test func `depth is unlimited: 300,000 nested NOT, and 100,000 nested SUBQUERY`() throws {
    func nots() throws -> NSPredicate {
      try (0..<300_000).reduce(NSPredicate(validating: "a == 1")) { predicate, _ in
        NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
      }
    }
    let not = try nots()
    #expect(not.evaluate(with: ["a": 1]) && !not.evaluate(with: ["a": 2]))
    #expect(try not == nots())
    #expect(not.description.utf8.count > 300_000)
    func subqueries() throws -> NSPredicate {
      let (kids, zero) = (NSExpression(forKeyPath: "kids"), NSExpression(forConstantValue: 0))
      return try (0..<100_000).reduce(NSPredicate(validating: "a == 1")) { predicate, _ in
        let subquery = NSExpression(
          forSubquery: kids, usingIteratorVariable: "x", predicate: predicate)
        return NSComparisonPredicate(
          leftExpression: NSExpression(forFunction: "count:", arguments: [subquery]),
          rightExpression: zero, modifier: .direct, type: .greaterThan)
      }
    }
    let subquery = try subqueries()
    #expect(subquery.height == 300_002)
    #expect(try subquery == subqueries() && subquery.hash == subqueries().hash)
    #expect(subquery.description.utf8.count > 1_000_000)
    #expect(throws: InvalidPredicateError.self) { try subquery.evaluated(with: ["kids": [1]]) }
    #expect(subquery.withSubstitutionVariables([:]) == subquery)
  }

  @Test(arguments: [(100_000, false), (20_000, true)])
  func `expressions can be constants of one another, directly or in collections`(
    depth: Int, inLists: Bool
  ) throws {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      func nested() -> NSExpression {
        (0..<depth).reduce(NSExpression(forKeyPath: "a")) { expression, _ in
          if inLists { return NSExpression(forConstantValue: [expression]) }
          return NSExpression(forConstantValue: expression)
        }
      }
      let (one, two) = (nested(), nested())
      #expect(one.height == (inLists ? 2 : 1) * depth + 1)
      #expect(one == two && one.hash == two.hash)
      #expect(one != NSExpression(forConstantValue: one))
      #expect(one.description.utf8.count == (inLists ? 2 * depth : 0) + 1)
      #expect(throws: (any Error).self) { try one.archivedData() }
      #expect(throws: InvalidPredicateError.self) { try one.value(with: ["a": 1]) }
      let template = NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "a"),
        rightExpression: NSExpression(forVariable: "v"), modifier: .direct, type: .equalTo)
      let filled = template.withSubstitutionVariables(["v": [one]])
      #expect(filled.height > depth && filled == template.withSubstitutionVariables(["v": [two]]))
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
  }

  @Test func `deeply nested values are ordinary constants`() throws {
    func predicate() throws -> NSPredicate {
      let list = (0..<1_000).reduce(NSArray(object: 1)) { list, _ in NSArray(object: list) }
      return try NSPredicate(validating: "a == %@ AND b == 1", arguments: [list])
    }
    let (one, two) = (try predicate(), try predicate())
    #expect(one == two && one.hash == two.hash && one.description.contains("{…}"))
    #expect(throws: InvalidPredicateError.self) { try one.evaluated(with: ["a": 1, "b": 1]) }
  }

  @Test func `flat predicates can have any number of parts`() throws {
    let parts = (0..<100_000).map {
      NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: "a"),
        rightExpression: NSExpression(forConstantValue: $0), modifier: .direct, type: .equalTo)
    }
    let one = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    let two = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
    #expect(one == two && one.hash == two.hash)
    #expect(one.evaluate(with: ["a": 99_999]))
    #expect(!one.evaluate(with: ["a": -1]))
    #expect(one.withSubstitutionVariables([:]) === one)
  }
}
