/// Reads bytes that a `ByteWriter` wrote. Its methods return nil if the bytes are invalid.
struct ByteReader {
  private let content: [UInt8]
  private var offset = 0

  init(_ content: [UInt8]) { self.content = content }

  var isAtEnd: Bool { offset == content.count }

  mutating func number() -> UInt64? {
    guard content.count - offset >= 8 else { return nil }
    defer { offset += 8 }
    return content.withUnsafeBytes {
      $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
    }
  }

  /// Reads the number of the elements that follow, each of which has at least `size` bytes; nil if the content is too
  /// short for them.
  mutating func count(ofSize size: Int = 1) -> Int? {
    // A damaged file must not make the reader allocate memory for more elements than the file can
    // contain.
    guard let number = number(), number <= UInt64((content.count - offset) / max(size, 1)) else {
      return nil
    }
    return Int(number)
  }

  mutating func bytes() -> [UInt8]? {
    guard let count = count() else { return nil }
    defer { offset += count }
    return Array(content[offset..<offset + count])
  }

  mutating func text() -> String? { bytes().map { String(decoding: $0, as: UTF8.self) } }

  mutating func values<Value: BitwiseCopyable>(_ type: Value.Type) -> [Value]? {
    guard let count = count(), count % MemoryLayout<Value>.stride == 0 else { return nil }
    defer { offset += count }
    return content.withUnsafeBytes { bytes in
      (0..<count / MemoryLayout<Value>.stride).map {
        // Texts of any length precede the values, so the values are not aligned.
        bytes.loadUnaligned(
          fromByteOffset: offset + $0 * MemoryLayout<Value>.stride, as: Value.self)
      }
    }
  }
}
