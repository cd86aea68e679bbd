#if canImport(Glibc)
  import Glibc
#endif

/// Pages of 2 MB, for tables that are asked at random.
enum LargePages {
  private static let size = 2 << 20

  /// Asks the system for such pages for memory that nobody used yet. Without them each question to a large
  /// table also reads where its page is, from memory that is as cold as the table.
  static func advise(_ memory: UnsafeMutableRawBufferPointer) {
    #if canImport(Glibc)
      guard let start = memory.baseAddress, memory.count >= 2 * size else { return }
      let first = UnsafeMutableRawPointer(
        bitPattern: (UInt(bitPattern: start) + UInt(size) - 1) / UInt(size) * UInt(size))
      guard let first else { return }
      let length = (start + memory.count - first) / size * size
      // Where the system has none, all works as before.
      _ = madvise(first, length, Int32(MADV_HUGEPAGE))
    #endif
  }
}
