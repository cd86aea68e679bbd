#if canImport(Glibc)
  import Glibc
#endif

/// Memory pages of 2 MB, for tables with random access.
enum LargePages {
  private static let size = 2 << 20

  /// Advises the kernel to use large pages for memory that has not been used yet. Without them, most accesses to a
  /// large table also miss the TLB, and the page table entries are not in the processor's caches either.
  static func advise(_ memory: UnsafeMutableRawBufferPointer) {
    #if canImport(Glibc)
      // A smaller range may not contain a whole page of this size, because pages are aligned.
      guard let start = memory.baseAddress, memory.count >= 2 * size else { return }
      let first = UnsafeMutableRawPointer(
        bitPattern: (UInt(bitPattern: start) + UInt(size) - 1) / UInt(size) * UInt(size))
      guard let first else { return }
      let length = (start + memory.count - first) / size * size
      // The advice is optional: everything works if the kernel ignores it.
      _ = madvise(first, length, Int32(MADV_HUGEPAGE))
    #endif
  }
}
