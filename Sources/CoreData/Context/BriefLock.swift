import Foundation
import Synchronization

/// A lock that is mostly free, and held for some instructions: it takes one atomic operation, where
/// `Mutex` takes two and asks for the thread. An object that ends takes one.
struct BriefLock: ~Copyable, Sendable {
  private let isTaken = Atomic<Bool>(false)

  @inline(__always)
  borrowing func withLock<Result>(_ body: () -> Result) -> Result {
    if isTaken.exchange(true, ordering: .acquiring) { wait() }
    defer { isTaken.store(false, ordering: .releasing) }
    return body()
  }

  /// Takes the lock when it is free again: looks for a while, then leaves the processor to others.
  @inline(never)
  private borrowing func wait() {
    var looks = 0
    repeat {
      while isTaken.load(ordering: .relaxed) {
        looks += 1
        if looks > Self.looksBeforeSleep { usleep(Self.sleep) }
      }
    } while isTaken.exchange(true, ordering: .acquiring)
  }

  private static let looksBeforeSleep = 1000
  /// Microseconds.
  private static let sleep: UInt32 = 50
}
