import Foundation
import Testing

@testable import Predicates

struct ObjectArgumentsTests {
  @Test func `Objects of Foundation's classes can be arguments of a format`() {
    let predicate = NSPredicate(
      format: "a == %@ AND b IN %@ AND c == %@", NSNumber(value: 3), NSArray(array: [1, 2]),
      NSNull())
    #expect(predicate.evaluate(with: ["a": 3, "b": 2]))
    #expect(!predicate.evaluate(with: ["a": 4, "b": 2]))
  }

  private final class Token: NSObject {}

  // On Apple's platforms `extension NSObject: CVarArg` is in the overlay of Foundation.
  @Test func `Objects of every class can be arguments of a format`() throws {
    let objects: [NSObject] = [
      NSUUID(), NSData(data: Data([1])), try #require(NSURL(string: "a:b")),
      NSIndexPath(index: 1), NSLocale(localeIdentifier: "de"), NSAttributedString(string: "x"),
      NSObject(), Token(),
    ]
    let predicates = [
      NSPredicate(format: "v == %@", NSUUID()), NSPredicate(format: "v == %@", NSData()),
      NSPredicate(format: "v == %@ AND w == %d", try #require(NSURL(string: "a:b")), 1),
      NSPredicate(format: "v == %@", NSIndexPath(index: 1)),
      NSPredicate(format: "v == %@", NSLocale(localeIdentifier: "de")),
      NSPredicate(format: "v == %@", NSAttributedString(string: "x")),
      NSPredicate(format: "v == %@", NSError(domain: "d", code: 1)),
      NSPredicate(format: "v == %@", NSObject()),
      NSPredicate(format: "v == %@ OR v == %@", Token(), NSUUID()),
    ]
    #expect(predicates.count == 9)
    for object in objects {
      let predicate = NSPredicate(format: "v == %@", object)
      #expect(predicate.evaluate(with: ["v": object]))
      #expect(!predicate.evaluate(with: ["v": "other"]))
    }
    let token = Token()
    #expect(NSExpression(format: "%@", token).constantValue as? Token === token)
  }

  @Test func `The value in an AnyHashable is compared, as Apple's bridging does`() {
    let predicate = NSPredicate(
      format: "a == %@ AND b IN %@",
      argumentArray: [AnyHashable(Int16(3)), [AnyHashable("x"), AnyHashable(2)]])
    #expect(predicate.evaluate(with: ["a": 3, "b": 2]))
    #expect(predicate.evaluate(with: ["a": AnyHashable(3), "b": AnyHashable("x")]))
    #expect(!predicate.evaluate(with: ["a": 3, "b": "y"]))
  }
}
