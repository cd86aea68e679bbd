import Foundation
import Predicates
import Testing

@Suite("Swift's sort descriptors")
struct SwiftSortDescriptorTests {
  private struct Item: Sendable {
    var name: String
    var nick: String?
    var size: Int
    var weight: Double?
    var isNew = false
    var version = Version(parts: [0])
  }

  private struct Version: Comparable, Sendable {
    var parts: [Int]
    static func < (left: Self, right: Self) -> Bool {
      left.parts.lexicographicallyPrecedes(right.parts)
    }
  }

  private let items = [
    Item(name: "b10", nick: nil, size: 2, weight: 1, version: Version(parts: [2])),
    Item(name: "B9", nick: "x", size: 1, weight: nil, isNew: true, version: Version(parts: [10])),
    Item(name: "ä", nick: "a", size: 2, weight: -1, version: Version(parts: [2, 1])),
  ]

  private func names(_ descriptors: Predicates.SortDescriptor<Item>...) -> [String] {
    items.sorted(using: descriptors).map(\.name)
  }

  @Test func `descriptors sort by properties of all types, nil first`() {
    #expect(names(SortDescriptor(\.size), SortDescriptor(\.weight)) == ["B9", "ä", "b10"])
    #expect(names(SortDescriptor(\.weight)) == ["B9", "ä", "b10"])
    #expect(names(SortDescriptor(\.weight, order: .reverse)) == ["b10", "ä", "B9"])
    #expect(names(SortDescriptor(\.isNew, order: .reverse)).first == "B9")
    #expect(names(SortDescriptor(\.version)) == ["b10", "ä", "B9"])
  }

  @Test func `strings are compared as in the Finder unless specified otherwise`() {
    #expect(names(SortDescriptor(\.name)) == ["ä", "B9", "b10"])
    #expect(names(SortDescriptor(\.name, order: .reverse)) == ["b10", "B9", "ä"])
    #expect(names(SortDescriptor(\.name, comparator: .lexical)) == ["B9", "b10", "ä"])
    #expect(names(SortDescriptor(\.name, comparator: .localized)) == ["ä", "b10", "B9"])
    #expect(
      names(SortDescriptor(\.nick, comparator: .localizedStandard, order: .reverse))
        == ["B9", "ä", "b10"])
    #expect(
      names(SortDescriptor(\.name, comparator: StandardStringComparator(.lexical, order: .reverse)))
        == ["ä", "b10", "B9"])
    #expect(SortDescriptor(\Item.name).stringComparator == .localizedStandard)
    #expect(SortDescriptor(\Item.size).stringComparator == nil)
    #expect(
      ["b10", "B9"].sorted(using: StandardStringComparator.localizedStandard) == ["B9", "b10"])
  }

  @Test func `descriptors with the same property, comparison and order are equal`() {
    var descriptor = SortDescriptor(\Item.name)
    #expect(descriptor == SortDescriptor(\Item.name))
    #expect(descriptor != SortDescriptor(\Item.name, comparator: .lexical))
    #expect(descriptor != SortDescriptor(\Item.nick))
    descriptor.order = .reverse
    #expect(descriptor == SortDescriptor(\Item.name, order: .reverse))
    #expect(descriptor.keyPath == \Item.name)
    #expect(Set([descriptor, SortDescriptor(\Item.name, order: .reverse)]).count == 1)
  }

  private struct Parcel: NSKeyValueCoding {
    var weight: Int?
    func value(forKey key: String) -> Any? { weight }
  }

  @Test func `a comparator never receives nil, also for a key path without a name`() {
    let parcels = [3, nil, 1, nil, 2].map { Parcel(weight: $0) }
    for isAscending in [true, false] {
      let descriptor = NSSortDescriptor(keyPath: \Parcel.weight, ascending: isAscending) {
        guard let left = $0 as? Int, let right = $1 as? Int else {
          Issue.record("the comparator received \($0) and \($1)")
          return .orderedSame
        }
        return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
      }
      #expect(descriptor.key == nil)
      #expect(
        parcels.sorted(using: [descriptor]).map(\.weight)
          == (isAscending ? [nil, nil, 1, 2, 3] : [3, 2, 1, nil, nil]))
    }
  }

  @Test func `descriptors convert to NSSortDescriptor and back`() throws {
    ConvertedPerson.nameKeyPaths()
    let byName = NSSortDescriptor(SortDescriptor(\ConvertedPerson.name))
    #expect(
      byName
        == NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:"))
    let byAge = NSSortDescriptor(SortDescriptor(\ConvertedPerson.age, order: .reverse))
    #expect(byAge == NSSortDescriptor(key: "age", ascending: false))
    #expect(
      NSSortDescriptor(SortDescriptor(\ConvertedPerson.nick, comparator: .lexical)).selector
        == "compare:")
    let back = try #require(SortDescriptor(byName, comparing: ConvertedPerson.self))
    #expect(back == SortDescriptor(\ConvertedPerson.name))
    #expect(
      SortDescriptor(
        NSSortDescriptor(key: "name", ascending: true, selector: "caseInsensitiveCompare:"),
        comparing: ConvertedPerson.self) == nil)
    #expect(
      SortDescriptor(
        NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame },
        comparing: ConvertedPerson.self) == nil)
    let ann = ConvertedPerson()
    let bob = ConvertedPerson()
    bob.name = "Bob"
    #expect([bob, ann].sorted(using: back).map(\.name) == ["Ann", "Bob"])
    #expect([ann, bob].sorted(using: [NSSortDescriptor(back)]).first === ann)

    let data = try JSONEncoder().encode(back)
    #expect(
      try JSONDecoder().decode(Predicates.SortDescriptor<ConvertedPerson>.self, from: data) == back)
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(SortDescriptor(\Item.name)) }

    // A key path without a registered name sorts in memory.
    let unnamed = NSSortDescriptor(SortDescriptor(\Item.size, order: .reverse))
    #expect(unnamed.key == nil && unnamed.selector == nil)
    #expect(items.sorted(using: [unnamed]).map(\.name) == ["b10", "ä", "B9"])
  }
}
