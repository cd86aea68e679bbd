/// The SHA-256 digest.
package struct SHA256: Sendable {
  /// Returns the 32-byte digest of a message in big-endian order.
  package func digest(of message: some Collection<UInt8>) -> [UInt8] {
    MessageBlocks.withBytes(of: message, digest(of:))
  }

  /// Returns the 32-byte digest of a message in memory in big-endian order.
  package func digest(of message: UnsafeRawBufferPointer) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      // One allocation for the state and, behind it, the schedule.
      withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 8 + 64) { words in
        guard let state = words.baseAddress else { return }
        // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
        (state[0], state[1]) = (0x6a09_e667, 0xbb67_ae85)
        (state[2], state[3]) = (0x3c6e_f372, 0xa54f_f53a)
        (state[4], state[5]) = (0x510e_527f, 0x9b05_688c)
        (state[6], state[7]) = (0x1f83_d9ab, 0x5be0_cd19)
        Self.constants.withUnsafeBufferPointer { constants in
          guard let constants = constants.baseAddress else { return }
          MessageBlocks.forEachRun(in: message, blockSize: 64, bigEndian: true) {
            Self.add($0, count: $1, to: state, schedule: state + 8, constants)
          }
        }
        for place in 0..<8 {
          UnsafeMutableRawBufferPointer(digest).storeBytes(
            of: state[place].bigEndian, toByteOffset: 4 * place, as: UInt32.self)
        }
      }
      count = 32
    }
  }

  /// Adds consecutive 64-byte blocks to the state.
  private static func add(
    _ blocks: UnsafeRawPointer, count: Int, to state: UnsafeMutablePointer<UInt32>,
    schedule: UnsafeMutablePointer<UInt32>, _ constants: UnsafePointer<UInt32>
  ) {
    var block = blocks
    let end = blocks + 64 &* count
    while block < end {
      var place = 0
      while place < 16 {
        schedule[place] = UInt32(
          bigEndian: block.loadUnaligned(fromByteOffset: place &* 4, as: UInt32.self))
        place &+= 1
      }
      while place < 64 {
        let early = schedule[place &- 15]
        let late = schedule[place &- 2]
        let first =
          (early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ early &>> 3
        let second =
          (late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ late &>> 10
        schedule[place] = schedule[place &- 16] &+ first &+ schedule[place &- 7] &+ second
        place &+= 1
      }
      addSchedule(schedule, to: state, constants)
      block += 64
    }
  }

  /// Adds a block to the state in 64 rounds, given the schedule computed from the block.
  private static func addSchedule(
    _ schedule: UnsafePointer<UInt32>, to state: UnsafeMutablePointer<UInt32>,
    _ constants: UnsafePointer<UInt32>
  ) {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var place = 0
    while place < 64 {
      let first = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
      // `choice` and `majority` are the functions Ch and Maj of FIPS 180-4, with fewer operations.
      let choice = g ^ e & (f ^ g)
      let mixed = h &+ first &+ choice &+ constants[place] &+ schedule[place]
      let second = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
      let majority = a & b | c & (a | b)
      h = g
      g = f
      f = e
      e = d &+ mixed
      d = c
      c = b
      b = a
      a = mixed &+ second &+ majority
      place &+= 1
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  // SHA-512 uses the same roots with more bits.
  private static let constants = SHA512.constants.prefix(64).map { UInt32($0 >> 32) }
}
