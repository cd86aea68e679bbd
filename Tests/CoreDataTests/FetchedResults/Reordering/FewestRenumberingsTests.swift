import FixtureSupport
import Foundation
import Testing

@testable import CoreData

@Suite("The fewest renumberings")
struct FewestRenumberingsTests {
  /// Returns how few rows of a new order can receive new numbers, by trying each set of rows that keep their numbers.
  ///
  /// - Parameter kept: The closure that returns whether a set of rows may keep their numbers.
  private func fewest(_ order: [Int?], _ kept: (Set<Int>) -> Bool, _ domain: ClosedRange<Int>)
    -> Int?
  {
    var best: Int?
    for mask in 0..<(1 << order.count) {
      let set = Set(order.indices.filter { mask & (1 << $0) != 0 })
      guard kept(set) else { continue }
      // The gap between two kept numbers must have a number for each row between them.
      var low: Int? = domain.lowerBound - 1
      var count = 0
      var fits = true
      for place in order.indices {
        if !set.contains(place) {
          count += 1
          continue
        }
        if count > 0 {
          let high = order[place] ?? domain.lowerBound - 1
          fits = fits && high - (low ?? 0) - 1 >= count
        }
        low = order[place] ?? domain.lowerBound - 1
        count = 0
      }
      if count > 0 { fits = fits && domain.upperBound - (low ?? 0) >= count }
      if fits { best = min(best ?? Int.max, order.count - set.count) }
    }
    return best
  }

  @Test("are as few as brute force finds")
  func bruteForce() throws {
    var random = SeededGenerator("fewest renumberings")
    let domain = 0...7
    for round in 0..<20_000 {
      let count = Int.random(in: 2...7, using: &random)
      let nulls = max(0, Int.random(in: -4...2, using: &random))
      let numbers = (0..<count).map { _ in Int.random(in: domain, using: &random) }.sorted()
      let old: [Int?] = numbers.enumerated().map { $0.offset < nulls ? nil : $0.element }
      let isForeign = Int.random(in: 0..<4, using: &random) == 0
      let from = Int.random(in: 0..<count, using: &random)
      let to = Int.random(in: 0..<count, using: &random)
      if from == to, !isForeign { continue }
      var order = old
      let moved = order.remove(at: from)
      order.insert(moved, at: to)
      // The moved row and a row that it passed cannot both keep their numbers.
      let passed = from < to ? Set(from..<to) : Set((to + 1)..<(from + 1))
      let expected = fewest(
        order,
        { set in
          if isForeign { return !set.contains(to) }
          return !set.contains(to) || set.isDisjoint(with: passed)
        }, domain)
      let found = try FewestRenumberings(
        from: isForeign ? nil : from, to: to,
        domain: Int128(domain.lowerBound)...Int128(domain.upperBound)
      ) { place in
        guard order.indices.contains(place) else { return .open }
        return order[place].map { .ordinal(Int128($0)) } ?? .none
      }
      let message: Comment =
        "seed \(random.seed), round \(round): \(old) \(from)>\(to), foreign \(isForeign)"
      #expect(found?.places.count == expected, message)
      guard let found else { continue }
      let low = found.low ?? Int128(domain.lowerBound) - 1
      let high = found.high ?? Int128(domain.upperBound) + 1
      #expect(high - low - 1 >= Int128(found.places.count), message)
    }
  }

  private func numbering(_ type: NSAttributeType) throws -> OrderNumbering {
    let attribute = NSAttributeDescription()
    attribute.name = "place"
    attribute.attributeType = type
    return try #require(OrderNumbering(PropertySlot(property: attribute, index: 0)))
  }

  private func ordinal(_ value: StoredValue, _ numbering: OrderNumbering) -> Int128? {
    if case .ordinal(let ordinal) = numbering.number(value) { ordinal } else { nil }
  }

  @Test("choose integers in the middle of a gap, or next to an end")
  func integers() throws {
    let numbering = try numbering(.integer16AttributeType)
    func values(_ count: Int, _ low: Int128?, _ high: Int128?) -> [Int] {
      numbering.values(count, above: low, below: high).map(\.intValue)
    }
    #expect(values(1, 10, 20) == [15])
    #expect(values(3, 10, 14) == [11, 12, 13])
    #expect(values(2, 7, nil) == [8, 9])
    #expect(values(2, nil, 0) == [-2, -1])
    #expect(values(3, nil, nil) == [0, 1, 2])
    #expect(values(1, nil, -32767) == [-32768])
  }

  @Test("choose round floating-point numbers where possible, down to the smallest gap")
  func floatingNumbers() throws {
    for type in [NSAttributeType.doubleAttributeType, .floatAttributeType, .decimalAttributeType] {
      let numbering = try numbering(type)
      func ordinal(_ value: Double) throws -> Int128 {
        let stored: StoredValue =
          type == .decimalAttributeType
          ? .decimal(NSDecimalNumber(string: "\(value)")) : .double(value)
        return try #require(self.ordinal(stored, numbering))
      }
      func values(_ count: Int, _ low: Double?, _ high: Double?) throws -> [Double] {
        try numbering.values(count, above: low.map(ordinal), below: high.map(ordinal))
          .map(\.doubleValue)
      }
      #expect(try values(1, 1, 2) == [1.5])
      #expect(try values(3, -1, 1) == [-0.5, 0, 0.5])
      #expect(try values(2, 2.5, nil) == [3, 4])
      #expect(try values(1, nil, 0.25) == [0])
      #expect(try values(2, nil, nil) == [0, 1])
      // Halves the gap until no number is left: 52 times for a double and 23 times for a float. Decimals can be halved
      // only 44 times, because they must also differ as doubles, with a margin for rounding errors.
      var high = 2.0
      var halvings = 0
      while try halvings < 60 && ordinal(high) - ordinal(1) > 1 {
        let middle = try values(1, 1, high)[0]
        #expect(1 < middle && middle < high)
        high = middle
        halvings += 1
      }
      #expect(
        halvings == (type == .floatAttributeType ? 23 : type == .decimalAttributeType ? 44 : 52))
    }
  }
}
