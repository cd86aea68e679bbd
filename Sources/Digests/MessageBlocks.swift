/// Splits a message into blocks with the padding of SHA-2 and MD5: a 1 bit, zeros, and the message's length in bits,
/// which fills an eighth of a block.
enum MessageBlocks {
  /// Calls `body` with the complete blocks of the message in place, if there are any, then with the one or two padded
  /// blocks at the end.
  ///
  /// - Parameters:
  ///   - blockSize: The size of a block in bytes, 64 or 128.
  ///   - bigEndian: Whether the padding stores the length in big-endian byte order.
  ///   - body: Receives the address of the first block and the number of blocks.
  static func forEachRun(
    in message: UnsafeRawBufferPointer, blockSize: Int, bigEndian: Bool,
    _ body: (UnsafeRawPointer, Int) -> Void
  ) {
    let whole = message.count / blockSize
    if whole > 0, let start = message.baseAddress { body(start, whole) }
    let rest = message[(whole * blockSize)...]
    withUnsafeTemporaryAllocation(byteCount: 2 * blockSize, alignment: 8) { ending in
      guard let start = ending.baseAddress else { return }
      // A second block is needed if the 1 bit and the message's length do not fit after the rest.
      let count = rest.count + 1 + blockSize / 8 > blockSize ? 2 : 1
      ending.initializeMemory(as: UInt8.self, repeating: 0)
      ending.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
      ending[rest.count] = 0x80
      // The upper half of SHA-512's bit count stays zero: 64 bits are enough for a message in memory.
      let bits = UInt64(message.count) * 8
      ending.storeBytes(
        of: bigEndian ? bits.bigEndian : bits.littleEndian, toByteOffset: count * blockSize - 8,
        as: UInt64.self)
      body(start, count)
    }
  }

  /// Calls `body` with a message's bytes. They are copied only if the collection is not contiguous.
  static func withBytes(
    of message: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> [UInt8]
  ) -> [UInt8] {
    message.withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
      ?? Array(message).withUnsafeBytes(body)
  }
}
