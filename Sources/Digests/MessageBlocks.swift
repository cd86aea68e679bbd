/// A message cut into blocks of sixteen words, ended as SHA-2 and MD5 end it: a bit, zeros, and the number of bits in
/// two words. They differ in the size of the words and in the order of their bytes.
struct MessageBlocks<Word: FixedWidthInteger & UnsignedInteger> {
  private let bytes: [UInt8]
  private let isBigEndian: Bool

  private static var wordSize: Int { MemoryLayout<Word>.size }
  private static var blockSize: Int { 16 * wordSize }

  init(_ message: some Collection<UInt8>, isBigEndian: Bool) {
    let count = UInt64(message.count) * 8
    var bytes = Array(message)
    bytes.append(0x80)
    let ending = 2 * Self.wordSize
    let zeros = (2 * Self.blockSize - ending - bytes.count % Self.blockSize) % Self.blockSize
    bytes.append(contentsOf: repeatElement(0, count: zeros))
    // A count of 64 bits is enough for what is in memory.
    let upper = [UInt8](repeating: 0, count: ending - MemoryLayout<UInt64>.size)
    let lower = withUnsafeBytes(
      of: isBigEndian ? count.bigEndian : count.littleEndian, Array.init)
    bytes.append(contentsOf: isBigEndian ? upper + lower : lower + upper)
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  /// Calls `body` with the words of each block.
  func forEach(_ body: ([Word]) -> Void) {
    var words = [Word](repeating: 0, count: 16)
    bytes.withUnsafeBytes { bytes in
      for start in stride(from: 0, to: bytes.count, by: Self.blockSize) {
        for place in 0..<16 {
          let word = bytes.loadUnaligned(
            fromByteOffset: start + place * Self.wordSize, as: Word.self)
          words[place] = isBigEndian ? Word(bigEndian: word) : Word(littleEndian: word)
        }
        body(words)
      }
    }
  }
}
