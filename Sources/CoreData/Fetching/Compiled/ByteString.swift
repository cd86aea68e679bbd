/// Constant bytes at a fixed address, which are read without reference counting.
final class ByteConstant: @unchecked Sendable {
  let bytes: UnsafeBufferPointer<UInt8>

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = copy.initialize(fromContentsOf: bytes)
    self.bytes = UnsafeBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}

/// Comparisons of bytes.
enum ByteString {
  @inline(__always)
  static func areEqual(
    _ bytes: UnsafeBufferPointer<UInt8>, _ others: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    bytes.count == others.count && starts(bytes, with: others)
  }

  /// Returns whether bytes begin with other bytes, which must not be longer.
  @inline(__always)
  static func starts(
    _ bytes: UnsafeBufferPointer<UInt8>, with others: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    // Most constants are so short that a loop is faster than calling memcmp.
    for index in 0..<others.count where bytes[index] != others[index] { return false }
    return true
  }
}

/// A set of constant byte strings, which is searched without creating a `String`.
struct ByteStringSet {
  /// The concatenated bytes of all strings.
  private var bytes: [UInt8] = []
  /// A hash table of indexes in `ranges` plus 1, or 0 for an empty slot. Its size is a power of two.
  private var table: [Int32]
  private var ranges: [Range<Int>] = []

  init(_ strings: some Collection<[UInt8]>) {
    var capacity = 16
    // At most half of the slots are in use, so a search for a missing string soon finds an empty
    // one.
    while capacity < strings.count * 2 { capacity *= 2 }
    table = Array(repeating: 0, count: capacity)
    for string in strings { insert(string) }
  }

  private mutating func insert(_ string: [UInt8]) {
    let slot = string.withUnsafeBufferPointer { find($0) }
    guard table[slot] == 0 else { return }
    ranges.append(bytes.count..<bytes.count + string.count)
    bytes += string
    table[slot] = Int32(ranges.count)
  }

  func contains(_ string: UnsafeBufferPointer<UInt8>) -> Bool { table[find(string)] != 0 }

  /// Returns the slot of a string in the table, or the empty slot where it would be inserted.
  private func find(_ string: UnsafeBufferPointer<UInt8>) -> Int {
    // FNV-1a: one multiplication for each byte is fast for short strings.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in string { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // The table uses the lower bits, so the upper ones are mixed into them.
    var slot = Int(truncatingIfNeeded: hash ^ hash >> 29) & (table.count - 1)
    while table[slot] != 0, !isEqual(ranges[Int(table[slot]) - 1], string) {
      slot = (slot + 1) & (table.count - 1)
    }
    return slot
  }

  private func isEqual(_ range: Range<Int>, _ string: UnsafeBufferPointer<UInt8>) -> Bool {
    guard range.count == string.count else { return false }
    for offset in 0..<string.count where bytes[range.lowerBound + offset] != string[offset] {
      return false
    }
    return true
  }
}
