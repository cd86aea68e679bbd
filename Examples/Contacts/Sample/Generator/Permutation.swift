/// A random permutation of `0 ..< count` that needs no table of positions: a four-round Feistel network over the next
/// power of four, applied repeatedly until the result is in range.
struct Permutation: Sendable {
  let count: Int
  private let halfBits: UInt64
  private let keys: [UInt64]

  init(count: Int, generator: inout SeededGenerator) {
    self.count = count
    var halfBits: UInt64 = 1
    while 1 << (2 * halfBits) < count { halfBits += 1 }
    self.halfBits = halfBits
    keys = (0..<4).map { _ in generator.next() }
  }

  /// The position of `index` in the permutation; each position occurs once.
  func position(of index: Int) -> Int {
    var value = UInt64(index)
    repeat {
      value = scrambled(value)
    } while value >= UInt64(count)
    return Int(value)
  }

  private func scrambled(_ value: UInt64) -> UInt64 {
    let mask = (UInt64(1) << halfBits) - 1
    var left = value >> halfBits
    var right = value & mask
    for key in keys {
      (left, right) = (right, left ^ (SeededGenerator.mixed(right ^ key) & mask))
    }
    return left << halfBits | right
  }
}
