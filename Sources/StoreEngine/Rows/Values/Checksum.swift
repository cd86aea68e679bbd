/// A checksum for detecting accidental truncation of a file, or changes to it.
package enum Checksum {
  package static func of(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { bytes in
      // The numbers are those of FNV-1a. Eight bytes at a time are faster, and the shift mixes
      // their upper bits into the lower ones.
      var sum: UInt64 = 0xcbf2_9ce4_8422_2325
      let words = bytes.count / 8
      for word in 0..<words {
        sum =
          (sum ^ bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self).littleEndian)
          &* 0x0000_0100_0000_01b3
        sum ^= sum >> 29
      }
      for place in (words * 8)..<bytes.count {
        sum = (sum ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01b3
      }
      return sum ^ UInt64(bytes.count)
    }
  }
}
