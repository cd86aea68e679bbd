import Foundation
import Predicates
import Testing

@Suite struct MembershipTests {
  private final class Thing: IdentityComparable {
    let id: Int
    init(_ id: Int) { self.id = id }
    var comparableIdentity: AnyHashable { id }
  }

  @Test func `IN finds the same elements as comparing with each one`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 3)
    let elements: [Any] = [
      1, 2.5, "x", date, Decimal(string: "0.1") as Any, NSNull(), UUID(), Data([1]), Thing(7),
      [1, 2], ["k": 1], UInt64.max,
    ]
    let candidates: [Any?] =
      elements + [
        nil, 1.0, true, "y", NSNumber(value: 2.5), 0.1, Thing(7), Thing(8), [1, 3], [2, 1],
        ["k": 2], Double(UInt64.max), NSString(string: "x"), 3,
      ]
    let predicate = try NSPredicate(validating: "SELF IN %@", arguments: [elements])
    for candidate in candidates {
      let isElement = elements.contains { ValueEquality.areEqual($0, candidate) }
      #expect(
        try predicate.evaluated(with: candidate) == isElement, "\(candidate.map { "\($0)" } ?? "")")
    }
    #expect(try predicate.evaluated(with: Thing(7)))
    #expect(try !predicate.evaluated(with: Thing(8)))
    #expect(try predicate.evaluated(with: 0.1))
  }

  @Test func `IN accepts sets, dictionaries and lists of expressions`() throws {
    #expect(
      try NSPredicate(validating: "2 IN %@", arguments: [[1, 2] as Set]).evaluated(with: nil))
    #expect(try NSPredicate(validating: "2 IN %@", arguments: [["k": 2]]).evaluated(with: nil))
    #expect(
      try NSPredicate(validating: "2 IN %@", arguments: [NSSet(array: [1, 2])]).evaluated(with: nil)
    )
    #expect(
      try NSPredicate(validating: "2 IN %@", arguments: [NSOrderedSet(array: [1, 2])])
        .evaluated(with: nil))
    let predicate = try NSPredicate(validating: "2 IN {1, k, $v}")
    #expect(try predicate.evaluated(with: ["k": 2], variables: ["v": 3]))
    #expect(try predicate.evaluated(with: ["k": 3], variables: ["v": 2]))
    #expect(try !predicate.evaluated(with: ["k": 3], variables: ["v": 3]))
  }

  @Test func `two objects with the same identity are equal`() throws {
    let predicate = try NSPredicate(validating: "owner == %@", arguments: [Thing(1)])
    #expect(try predicate.evaluated(with: ["owner": Thing(1)]))
    #expect(try !predicate.evaluated(with: ["owner": Thing(2)]))
  }

  @Test func `a long list is searched by hash`() throws {
    let list = Array(0..<20_000)
    let predicate = try NSPredicate(validating: "SELF IN %@", arguments: [list])
    var found = 0
    for value in 0..<20_000 where try predicate.evaluated(with: value * 2) { found += 1 }
    // Twenty thousand linear searches of twenty thousand elements would take minutes.
    #expect(found == 10_000)
  }
}
