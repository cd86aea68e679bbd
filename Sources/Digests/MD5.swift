import Foundation

/// The digest MD5 (RFC 1321): what the Swift compiler names files by in the symbols of private declarations.
package enum MD5 {
  /// The 16 bytes for a message.
  package static func digest(of message: some Collection<UInt8>) -> [UInt8] {
    var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
    MessageBlocks<UInt32>(message, isBigEndian: false).forEach { words in
      var (a, b, c, d) = (state[0], state[1], state[2], state[3])
      for step in 0..<64 {
        let mixed: UInt32
        let word: Int
        switch step / 16 {
        case 0: (mixed, word) = (b & c | ~b & d, step)
        case 1: (mixed, word) = (d & b | ~d & c, (5 * step + 1) % 16)
        case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) % 16)
        default: (mixed, word) = (c ^ (b | ~d), 7 * step % 16)
        }
        let sum = a &+ mixed &+ constants[step] &+ words[word]
        (a, d, c, b) = (d, c, b, b &+ sum.rotated(left: rotations[step / 16][step % 4]))
      }
      for (place, word) in [a, b, c, d].enumerated() { state[place] &+= word }
    }
    return state.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
  }

  private static let rotations: [[Int]] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ]

  /// The whole parts of 2³² times the sines of 1, 2, 3, …
  private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }
}
