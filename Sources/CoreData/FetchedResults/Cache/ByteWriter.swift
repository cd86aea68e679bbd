/// Writes numbers, and byte sequences prefixed with their lengths.
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

  /// Writes values in their memory representation.
  mutating func write<Value: BitwiseCopyable>(values: [Value]) {
    values.withUnsafeBytes { write($0) }
  }
}
