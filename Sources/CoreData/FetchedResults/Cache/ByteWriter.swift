/// Writes numbers, and bytes with their number before them.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  mutating func write(number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ content: some Collection<UInt8>) {
    write(number: UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  mutating func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes values as they are in memory.
  mutating func write<Value: BitwiseCopyable>(values: [Value]) {
    values.withUnsafeBytes { write($0) }
  }
}

/// Reads what a `ByteWriter` wrote; nil from where the bytes say something else.
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

  /// A number of things of which each takes some bytes of what follows.
  mutating func count(ofSize size: Int = 1) -> Int? {
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
        bytes.loadUnaligned(
          fromByteOffset: offset + $0 * MemoryLayout<Value>.stride, as: Value.self)
      }
    }
  }
}
