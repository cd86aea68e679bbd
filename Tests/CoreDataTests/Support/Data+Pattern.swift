import Foundation

extension Data {
  /// Returns bytes each of which is `step` more than the one before, modulo 256.
  ///
  /// They repeat after 256 bytes at the latest, so the first ones are copied: a debug build needs a second for a loop
  /// over some million bytes.
  static func pattern(_ count: Int, step: Int = 1, from first: Int = 0) -> Data {
    var data = Data((0..<256).map { UInt8(truncatingIfNeeded: first &+ $0 &* step) })
    while data.count < count { data += data }
    return Data(data.prefix(count))
  }
}
