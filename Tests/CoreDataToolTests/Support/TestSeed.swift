import Foundation

/// Where random tests start: at `$OPENCOREDATA_SEED`, else somewhere new each time. The seed is
/// printed, so that a failure can be had again.
enum TestSeed {
  static func next(for test: String = #function) -> UInt64 {
    let text = ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"]
    let seed = text.flatMap { UInt64($0) } ?? .random(in: 0...999_999)
    print("\(test): OPENCOREDATA_SEED=\(seed)")
    return seed
  }
}
