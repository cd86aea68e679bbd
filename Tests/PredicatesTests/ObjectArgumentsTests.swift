import Foundation
import Testing

@testable import Predicates

struct ObjectArgumentsTests {
  @Test func `Objects of Foundation's classes are arguments of a format`() {
    let predicate = NSPredicate(
      format: "a == %@ AND b IN %@ AND c == %@", NSNumber(value: 3), NSArray(array: [1, 2]),
      NSNull())
    #expect(predicate.evaluate(with: ["a": 3, "b": 2]))
    #expect(!predicate.evaluate(with: ["a": 4, "b": 2]))
  }

  @Test func `What is in an AnyHashable is compared, as Apple's bridging has it`() {
    let predicate = NSPredicate(
      format: "a == %@ AND b IN %@",
      argumentArray: [AnyHashable(Int16(3)), [AnyHashable("x"), AnyHashable(2)]])
    #expect(predicate.evaluate(with: ["a": 3, "b": 2]))
    #expect(predicate.evaluate(with: ["a": AnyHashable(3), "b": AnyHashable("x")]))
    #expect(!predicate.evaluate(with: ["a": 3, "b": "y"]))
  }
}
