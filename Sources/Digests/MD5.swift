import Foundation

/// The MD5 digest (RFC 1321). In symbols of private declarations, the Swift compiler identifies a file by the MD5
/// digest of the module's name followed by the file's name.
package enum MD5 {
  /// Returns the 16-byte digest of a message.
  package static func digest(of message: some Collection<UInt8>) -> [UInt8] {
    MessageBlocks.withBytes(of: message, digest(of:))
  }

  private static func digest(of message: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 4) { words in
        guard let state = words.baseAddress else { return }
        // The initial state of RFC 1321.
        (state[0], state[1]) = (0x6745_2301, 0xefcd_ab89)
        (state[2], state[3]) = (0x98ba_dcfe, 0x1032_5476)
        constants.withUnsafeBufferPointer { constants in
          guard let constants = constants.baseAddress else { return }
          MessageBlocks.forEachRun(in: message, blockSize: 64, bigEndian: false) { start, count in
            for number in 0..<count { add(start + 64 * number, to: state, constants) }
          }
        }
        for place in 0..<4 {
          UnsafeMutableRawBufferPointer(digest).storeBytes(
            of: state[place].littleEndian, toByteOffset: 4 * place, as: UInt32.self)
        }
      }
      count = 16
    }
  }

  /// Adds a 64-byte block to the state.
  private static func add(
    _ block: UnsafeRawPointer, to state: UnsafeMutablePointer<UInt32>,
    _ constants: UnsafePointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var step = 0
    while step < 64 {
      let mixed: UInt32
      let word: Int
      let rotation: UInt32
      // Each group of 16 steps repeats four rotations: the bytes of the third value in the tuple, lowest byte first.
      switch step &>> 4 {
      // The first two functions are equivalent to those of the RFC, with one operation fewer.
      case 0: (mixed, word, rotation) = (d ^ b & (c ^ d), step, 0x1611_0c07)
      case 1: (mixed, word, rotation) = (c ^ d & (b ^ c), 5 &* step &+ 1, 0x140e_0905)
      case 2: (mixed, word, rotation) = (b ^ c ^ d, 3 &* step &+ 5, 0x1710_0b04)
      default: (mixed, word, rotation) = (c ^ (b | ~d), 7 &* step, 0x150f_0a06)
      }
      let count = rotation &>> UInt32(truncatingIfNeeded: (step & 3) &* 8) & 0xff
      // Unaligned, because the message may begin at any address.
      let read = block.loadUnaligned(fromByteOffset: (word & 15) &* 4, as: UInt32.self)
      let sum = a &+ mixed &+ constants[step] &+ UInt32(littleEndian: read)
      a = d
      d = c
      c = b
      b = b &+ (sum &<< count | sum &>> (32 &- count))
      step &+= 1
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
  }

  /// The integer parts of 2³² times the absolute values of the sines of 1 to 64.
  private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 0x1p32) }
}
