import Foundation

/// Random numbers that can be repeated from their seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// The seed that the sequence started from.
  public let seed: UInt64

  /// Uses the seed in `$OPENCOREDATA_SEED`, or else one computed from the name, so that the result of a test run
  /// depends on the code alone; `scripts/soak` sets new seeds. Prints the seed, so that a failure can be
  /// repeated.
  public init(_ name: String) {
    let given = ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"].flatMap(UInt64.init)
    self.init(seed: given ?? name.utf8.reduce(1) { ($0 &* 31 &+ UInt64($1)) % 999_983 })
    print("\(name): OPENCOREDATA_SEED=\(seed)")
  }

  /// Makes a generator whose numbers depend on the seed alone.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
