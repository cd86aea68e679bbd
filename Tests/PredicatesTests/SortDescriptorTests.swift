import Foundation
import Predicates
import Testing

@Suite struct SortDescriptorTests {
  private let rows: [[String: Any]] = [
    ["n": "b10", "i": 1], ["n": "B9", "i": 2], ["n": "á", "i": 3], ["i": 4], ["n": "b9", "i": 5],
    ["n": "a", "i": 6],
  ]

  private func order(_ descriptors: NSSortDescriptor...) -> [Int] {
    rows.sorted(using: descriptors).compactMap { $0["i"] as? Int }
  }

  @Test func `each selector has its order, nil first`() {
    #expect(order(NSSortDescriptor(key: "n", ascending: true)) == [4, 2, 6, 1, 5, 3])
    #expect(order(NSSortDescriptor(key: "n", ascending: false)) == [3, 5, 1, 6, 2, 4])
    func by(_ selector: String) -> [Int] {
      order(NSSortDescriptor(key: "n", ascending: true, selector: Selector(selector)))
    }
    #expect(by("compare:") == [4, 2, 6, 1, 5, 3])
    #expect(by("caseInsensitiveCompare:") == [4, 6, 1, 2, 5, 3])
    #expect(by("localizedCompare:") == [4, 6, 3, 1, 5, 2])
    #expect(by("localizedCaseInsensitiveCompare:") == [4, 6, 3, 1, 2, 5])
    #expect(by("localizedStandardCompare:").prefix(3) == [4, 6, 3])
    #expect(by("localizedStandardCompare:").last == 1)
  }

  @Test func `later descriptors break ties, and the sort is stable`() {
    let rows: [[String: Any]] = [
      ["a": 1, "b": 1, "i": 0], ["a": 0, "b": 2, "i": 1], ["a": 1, "b": 2, "i": 2],
      ["a": 1, "b": 2, "i": 3],
    ]
    let sorted = rows.sorted(using: [
      NSSortDescriptor(key: "a", ascending: true), NSSortDescriptor(key: "b", ascending: false),
    ])
    #expect(sorted.compactMap { $0["i"] as? Int } == [1, 2, 3, 0])
  }

  @Test func `Foundation's arrays sort by this library's descriptors`() {
    let descriptors = [NSSortDescriptor(key: "n", ascending: true)]
    let sorted = NSArray(array: rows).sortedArray(using: descriptors)
    #expect(sorted.compactMap { ($0 as? [String: Any])?["i"] as? Int } == [4, 2, 6, 1, 5, 3])
    let words = NSMutableArray(array: ["b", "a"])
    words.sort(using: [NSSortDescriptor(key: nil, ascending: true)])
    #expect(words.compactMap { $0 as? String } == ["a", "b"])
    #expect(
      NSSet(array: [3, 1, 2]).sortedArray(using: [NSSortDescriptor(key: "self", ascending: false)])
        as? [Int] == [3, 2, 1])
  }

  @Test func `a descriptor has the properties with which it was made`() throws {
    let descriptor = NSSortDescriptor(
      key: "team.name", ascending: false, selector: Selector("localizedStandardCompare:"))
    #expect(descriptor.key == "team.name")
    #expect(!descriptor.ascending)
    #expect(descriptor.selector == Selector("localizedStandardCompare:"))
    #expect(descriptor.stringComparison == .localizedStandard)
    let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
    #expect(reversed.key == "team.name")
    #expect(reversed.ascending)
    #expect(reversed.stringComparison == .localizedStandard)
    #expect(reversed != descriptor)
    #expect(
      descriptor
        == NSSortDescriptor(
          key: "team.name", ascending: false, selector: "localizedStandardCompare:"))
    #expect(
      descriptor.compare(["team": ["name": "b"]], to: ["team": ["name": "a"]])
        == .orderedAscending)
  }

  @Test func `a comparator decides, and never receives nil`() {
    let byLength = NSSortDescriptor(key: "n", ascending: true) { left, right in
      let a = (left as? String)?.count ?? -1
      let b = (right as? String)?.count ?? -1
      return a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
    }
    #expect(order(byLength) == [4, 3, 6, 2, 5, 1])
    #expect(byLength.selector == nil)
    #expect(byLength.stringComparison == nil)
  }

  @Test func `Swift key paths sort, even if they lead to optional values`() throws {
    struct Item { var rank: Int?; var title = "" }
    let items = [Item(rank: 2), Item(rank: nil), Item(rank: 1)]
    let sorted = items.sorted(using: [NSSortDescriptor(keyPath: \Item.rank, ascending: true)])
    #expect(sorted.map(\.rank) == [nil, 1, 2])
    let titles = [Item(title: "b"), Item(title: "a")]
      .sorted(using: [NSSortDescriptor(keyPath: \Item.title, ascending: true)])
    #expect(titles.map(\.title) == ["a", "b"])
    #expect(NSSortDescriptor(keyPath: \Item.title, ascending: true).key == nil)
    struct Named { var rank: Int?; var size = 0 }
    KeyPathNames.register(\Named.rank, as: "rank")
    KeyPathNames.register(\Named.size, as: "size")
    #expect(NSSortDescriptor(keyPath: \Named.rank, ascending: true).key == "rank")
    #expect(NSSortDescriptor(keyPath: \Named.size, ascending: true).key == "size")
    #expect(
      NSSortDescriptor(keyPath: \Named.size, ascending: true).stringComparison == .literal)
  }

  @Test func `the error contains an unknown selector or key`() {
    let unknown = NSSortDescriptor(key: "n", ascending: true, selector: "frobnicate:")
    let error = #expect(throws: InvalidPredicateError.self) {
      _ = try rows.ordered(by: [unknown])
    }
    #expect(
      error?.message
        == "the selector frobnicate: of the sort descriptor for \"n\" cannot be called by name")
    let strange = #expect(throws: InvalidPredicateError.self) {
      _ = try ["a", "b"].ordered(by: [NSSortDescriptor(key: "foo", ascending: true)])
    }
    #expect(strange?.message == "String has no value for the key \"foo\"")
  }

  @Test func `every string comparison is a total order`() {
    let words = ["", "a", "A", "á", "Á", "b", "B", "a1", "a10", "a2", "ß", "ss", "é", "e\u{301}"]
    for comparison in StringComparison.allCases {
      for a in words {
        #expect(comparison.compare(a, a) == .orderedSame)
        for b in words {
          #expect(
            comparison.compare(a, b).rawValue == -comparison.compare(b, a).rawValue,
            "\(comparison) \(a) \(b)")
          for c in words
          where comparison.compare(a, b) != .orderedDescending
            && comparison.compare(b, c) != .orderedDescending
          {
            #expect(
              comparison.compare(a, c) != .orderedDescending, "\(comparison) \(a) \(b) \(c)")
          }
        }
      }
    }
  }
}
