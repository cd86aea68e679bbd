/// Compares and searches UTF-8 strings, whose byte order is the order of the code points.
enum ByteSearch {
  /// Returns -1, 0 or 1 if the first string is less than, equal to or greater than the second.
  static func compare(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Int {
    var others = right.makeIterator()
    for byte in left {
      guard let other = others.next() else { return 1 }
      if byte != other { return byte < other ? -1 : 1 }
    }
    return others.next() == nil ? 0 : -1
  }

  /// Returns whether a string contains another. No string contains the empty one.
  static func contains(_ text: UnsafeBufferPointer<UInt8>, _ pattern: [UInt8]) -> Bool {
    // As in Apple's Foundation, where `CONTAINS ""` is false even for the empty string.
    guard let first = pattern.first, pattern.count <= text.count else { return false }
    let last = text.count - pattern.count
    var start = 0
    while start <= last {
      if text[start] == first {
        var offset = 1
        while offset < pattern.count, text[start + offset] == pattern[offset] { offset += 1 }
        if offset == pattern.count { return true }
      }
      start += 1
    }
    return false
  }
}
