import Foundation

/// Random numbers that a seed repeats (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// What the numbers were begun with.
  public let seed: UInt64

  /// The seed of `$OPENCOREDATA_SEED`, else one that belongs to the name, so that a run of the tests
  /// tells of the code and not of the draw; `scripts/soak` draws new ones. Printed, so that a failure
  /// can be repeated.
  public init(_ name: String) {
    let given = ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"].flatMap(UInt64.init)
    self.init(seed: given ?? name.utf8.reduce(1) { ($0 &* 31 &+ UInt64($1)) % 999_983 })
    print("\(name): OPENCOREDATA_SEED=\(seed)")
  }

  /// Numbers that depend on the seed alone.
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
