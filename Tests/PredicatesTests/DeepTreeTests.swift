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

  @Test func `are compared, hashed, copied, substituted and let go at 10,000 levels`() throws {
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

  /// The releasing thread and the queue that releases for it go for the same references; whoever is
  /// quicker, neither goes down level by level within itself.
  @Test func `end on a small stack, over and over again`() throws {
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

  @Test func `a high expression as a variable's value makes the predicate high`() throws {
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

  @Test func `flat ones have any number of parts`() throws {
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
