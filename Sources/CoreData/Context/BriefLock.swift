import Synchronization

/// A lock that is rarely contended and is held only for a few instructions. Acquiring it takes one atomic
/// operation; `Mutex` takes two and reads the thread's ID. The cost matters because the deallocation of each
/// registered managed object acquires such a lock.
struct BriefLock: ~Copyable, Sendable {
  private let isLocked = Atomic<Bool>(false)

  @inline(__always)
  borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    if isLocked.exchange(true, ordering: .acquiring) { wait() }
    defer { isLocked.store(false, ordering: .releasing) }
    return body()
  }

  /// Acquires the lock once it is free: spins for a while, then sleeps between attempts.
  @inline(never)
  private borrowing func wait() {
    var spins = 0
    repeat {
      // Only reads while the lock is held: each exchange would move the cache line away from the
      // owner.
      while isLocked.load(ordering: .relaxed) {
        spins += 1
        // The owner may have lost its core to this thread; further spinning would keep it from
        // running.
        if spins > Self.spinsBeforeSleep { usleep(Self.sleep) }
      }
    } while isLocked.exchange(true, ordering: .acquiring)
  }

  private static let spinsBeforeSleep = 1000
  /// Microseconds.
  private static let sleep: UInt32 = 50
}
