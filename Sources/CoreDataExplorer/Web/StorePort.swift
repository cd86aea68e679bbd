import Foundation

/// The default port for a store: the same at each start, because browsers store settings (filters, widths, the theme)
/// by address and port.
package enum StorePort {
  /// The possible ports. They are below the ephemeral ports of systems, and browsers block none of them.
  private static let range = 20_000..<30_000

  /// - Parameter path: The path of the store's file.
  package static func preferred(for path: String) -> Int {
    let file = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    // `Hasher` would use another seed at each start.
    let hash = file.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return range.lowerBound + Int(hash % UInt64(range.count))
  }
}
