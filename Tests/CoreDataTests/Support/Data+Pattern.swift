import Foundation

extension Data {
  /// Returns bytes that each are `step` more than the previous byte, modulo 256.
  ///
  /// The pattern repeats every 256 bytes, so the first 256 are copied: in a debug build, a loop over a few million bytes
  /// takes a second.
  static func pattern(_ count: Int, step: Int = 1, from first: Int = 0) -> Data {
    var data = Data((0..<256).map { UInt8(truncatingIfNeeded: first &+ $0 &* step) })
    while data.count < count { data += data }
    return Data(data.prefix(count))
  }
}
