import Foundation
import Predicates
import Testing

@Suite("Filtering and sorting Foundation's collections")
struct FoundationCollectionTests {
  private let rows: [[String: Any]] = [
    ["n": "b", "i": 1], ["n": "A", "i": 2], ["i": 3], ["n": "a", "i": 4],
  ]

  private func order(_ array: [Any]) -> [Int] {
    array.compactMap { ($0 as? [String: Any])?["i"] as? Int }
  }

  private let byName = [
    NSSortDescriptor(key: "n", ascending: true, selector: "caseInsensitiveCompare:"),
    NSSortDescriptor(key: "i", ascending: false),
  ]

  @Test func `Foundation's collections are filtered by predicates`() {
    let predicate = NSPredicate(format: "n BEGINSWITH[c] 'a'")
    #expect(order(NSArray(array: rows).filtered(using: predicate)) == [2, 4])
    let mutable = NSMutableArray(array: rows)
    mutable.filter(using: predicate)
    #expect(order(mutable.map { $0 }) == [2, 4])
    let words = NSSet(array: ["ab", "cd", "Ae"])
    let some = NSPredicate(format: "SELF BEGINSWITH[c] 'a'")
    #expect(words.filtered(using: some) == ["ab", "Ae"])
    let mutableSet = NSMutableSet(set: words)
    mutableSet.filter(using: some)
    #expect(mutableSet == NSSet(array: ["ab", "Ae"]))
    let ordered = NSOrderedSet(array: ["Ae", "cd", "ab"])
    #expect(ordered.filtered(using: some) == NSOrderedSet(array: ["Ae", "ab"]))
    let mutableOrdered = NSMutableOrderedSet(orderedSet: ordered)
    mutableOrdered.filter(using: NSPredicate(format: "NOT SELF BEGINSWITH[c] 'a'"))
    #expect(mutableOrdered == NSOrderedSet(array: ["cd"]))
    #expect(NSArray(array: [1, 2, 3]).filtered(using: NSPredicate(format: "SELF > 1")).count == 2)
    #expect(
      NSArray(array: [1, 2]).filtered(using: NSPredicate { object, _ in object as? Int == 1 }).count
        == 1)
  }

  @Test func `Foundation's collections are sorted by descriptors`() {
    #expect(order(NSArray(array: rows).sortedArray(using: byName)) == [3, 4, 2, 1])
    let mutable = NSMutableArray(array: rows)
    mutable.sort(using: byName)
    #expect(order(mutable.map { $0 }) == [3, 4, 2, 1])
    let words = ["b10", "B9", "a"]
    let natural = [
      NSSortDescriptor(key: nil, ascending: true, selector: "localizedStandardCompare:")
    ]
    #expect(NSSet(array: words).sortedArray(using: natural) as? [String] == ["a", "B9", "b10"])
    #expect(
      NSOrderedSet(array: words).sortedArray(using: natural) as? [String] == ["a", "B9", "b10"])
    let ordered = NSMutableOrderedSet(array: words)
    ordered.sort(using: natural)
    #expect(ordered.array as? [String] == ["a", "B9", "b10"])
    #expect(rows.sorted(using: byName).compactMap { $0["i"] as? Int } == [3, 4, 2, 1])
    #expect(
      order(
        NSArray(array: rows).sortedArray(
          using: byName.compactMap {
            $0.reversedSortDescriptor as? NSSortDescriptor
          })) == [1, 2, 4, 3])
  }

  @Test func `objects with named key paths are filtered and sorted`() {
    ConvertedPerson.nameKeyPaths()
    let ann = ConvertedPerson()
    let bob = ConvertedPerson()
    bob.name = "Bob"
    bob.age = 3
    let array = NSArray(array: [ann, bob])
    #expect(array.filtered(using: NSPredicate(format: "age < 10")).first as? NSObject === bob)
    #expect(
      array.sortedArray(using: [NSSortDescriptor(keyPath: \ConvertedPerson.age, ascending: true)])
        .first as? NSObject === bob)
    let byLength = NSSortDescriptor(keyPath: \ConvertedPerson.name, ascending: false) {
      left, right in
      let a = (left as? String ?? "").last ?? " "
      let b = (right as? String ?? "").last ?? " "
      return a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
    }
    // A store must not treat it as the order of the key.
    #expect(byLength.key == "name" && byLength.selector == nil)
    #expect(array.sortedArray(using: [byLength]).first as? NSObject === ann)
    let byUnnamed = NSSortDescriptor(keyPath: \ConvertedPerson.name.count, ascending: true) {
      left, right in
      (left as? Int ?? 0) < (right as? Int ?? 0) ? .orderedAscending : .orderedSame
    }
    #expect(byUnnamed.key == nil)
    #expect(array.sortedArray(using: [byUnnamed]).count == 2)
  }

  @Test func `sort descriptors can be archived`() throws {
    let descriptors = [
      NSSortDescriptor(key: "a.b", ascending: false, selector: "localizedStandardCompare:"),
      NSSortDescriptor(key: nil, ascending: true),
    ]
    for descriptor in descriptors {
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: descriptor, requiringSecureCoding: true)
      let read = try #require(
        try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data))
      #expect(read == descriptor)
      read.allowEvaluation()
      #expect(read.copy() as? NSSortDescriptor == descriptor)
    }
    let code = NSSortDescriptor(key: "a", ascending: true) { _, _ in .orderedSame }
    let data = try NSKeyedArchiver.archivedData(withRootObject: code, requiringSecureCoding: true)
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
    }
  }
}
