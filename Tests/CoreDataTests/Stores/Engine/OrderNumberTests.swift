import Testing

@testable import CoreData

/// Apple's stores begin at 2048 and go on by 1024.
@Suite("Numbers of ordered members")
struct OrderNumberTests {
  @Test("are between the neighbours' however far apart those are", arguments: [1, 2, 7, 1000])
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

  @Test("are evenly spread, and given anew where there is no room")
  func spread() {
    #expect(OrderNumbers.assign([nil, nil]) == [2048, 3072])
    #expect(OrderNumbers.assign([2048, nil, 3072]) == [2048, 2560, 3072])
    #expect(OrderNumbers.assign([0, nil, nil, 10]) == [0, 3, 6, 10])
    #expect(OrderNumbers.assign([5, nil, 6]) == [2048, 3072, 4096])
    #expect(OrderNumbers.assign([.max, nil, .min]) == [2048, 3072, 4096])
  }
}
