import Foundation

/// Random numbers that come again for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The seed in OPENCOREDATA_SEED, else one of this run's own.
  static func seedForThisRun() -> UInt64 {
    ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"].flatMap { UInt64($0) }
      ?? UInt64.random(in: 0...9_999_999)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// The seed of the environment, else another one each time.
  static func seed() -> UInt64 {
    ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"].flatMap(UInt64.init)
      ?? UInt64.random(in: 0...UInt64.max)
  }
}
