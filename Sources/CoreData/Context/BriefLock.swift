import Synchronization

/// A lock that is mostly free, and held for some instructions: it takes one atomic operation, where
/// `Mutex` takes two and asks for the thread. An object that ends takes one.
struct BriefLock: ~Copyable, Sendable {
  private let isLocked = Atomic<Bool>(false)

  @inline(__always)
  borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    if isLocked.exchange(true, ordering: .acquiring) { wait() }
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }

  /// Takes the lock when it is free again: spins for a while, then leaves the processor to others.
  @inline(never)
  private borrowing func wait() {
    var spins = 0
    repeat {
      while isLocked.load(ordering: .relaxed) {
        spins += 1
        if spins > Self.spinsBeforeSleep { usleep(Self.sleep) }
      }
    } while isLocked.exchange(true, ordering: .acquiring)
  }

  private static let spinsBeforeSleep = 1000
  /// Microseconds.
  private static let sleep: UInt32 = 50
}
