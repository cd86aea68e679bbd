import Testing

@testable import CoreData

/// Order numbers in Apple's stores start at 2048 and increase by 1024.
@Suite("Order numbers of members")
struct OrderNumberTests {
  @Test(
    "New numbers are between those of their neighbors, whatever the distance",
    arguments: [1, 2, 7, 1000])
  func farApart(_ count: Int) {
    let far = Int64.max / 4
    #expect(far == (1 << 61) - 1)
    for (lower, upper) in [(-far, far), (-far, 0), (0, far), (far - 2000, far)] {
      let middle = [Int64?](repeating: nil, count: count)
      let numbers = OrderNumbers.assign([lower] + middle + [upper])
      #expect(numbers.first == lower && numbers.last == upper)
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test("Numbers are evenly spread, and renumbered if there is no space")
  func spread() {
    #expect(OrderNumbers.assign([nil, nil]) == [2048, 3072])
    #expect(OrderNumbers.assign([2048, nil, 3072]) == [2048, 2560, 3072])
    #expect(OrderNumbers.assign([0, nil, nil, 10]) == [0, 3, 6, 10])
    #expect(OrderNumbers.assign([5, nil, 6]) == [2048, 3072, 4096])
    #expect(OrderNumbers.assign([.max, nil, .min]) == [2048, 3072, 4096])
  }
}
