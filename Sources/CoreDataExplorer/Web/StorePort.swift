import Foundation

/// The port that a store is shown at where nobody says another: the same at each start, for browsers keep what they
/// remember (filters, widths, the theme) by an address with its port.
package enum StorePort {
  /// Below those that systems give out by themselves, and none that browsers refuse.
  private static let range = 20_000..<30_000

  /// - Parameter path: of the store's file.
  package static func preferred(for path: String) -> Int {
    let file = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    // Not `Hasher`, which begins with another seed at each start.
    let hash = file.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return range.lowerBound + Int(hash % UInt64(range.count))
  }
}
