import Foundation

/// Threads of a test that wait for each other in an order that the test intends.
final class WaitingThreads: @unchecked Sendable {
  /// Protects the state. An `NSLock`, because the thread sanitizer does not understand `Mutex`.
  private let lock = NSLock()
  /// The number of blocks that have not begun.
  private var expected = 0
  /// The number of running blocks for each status file of a thread in `/proc`.
  private var running: [String: Int] = [:]

  /// Returns a block that is expected from now on. Once it begins, its thread counts as running until the block ends.
  func watching(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    lock.withLock { expected += 1 }
    return { [self] in
      lock.withLock { expected -= 1 }
      run(body)
    }
  }

  /// Runs a block on the calling thread. The thread counts as running until the block ends.
  func run<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let path = Self.statusPath
    lock.withLock { running[path, default: 0] += 1 }
    defer { lock.withLock { running[path, default: 1] -= 1 } }
    try body()
  }

  /// Waits until all other blocks have begun, and their threads sleep because they wait. A thread that has been woken
  /// no longer sleeps, even before it runs.
  ///
  /// Gives up after ten seconds, in case other tests occupy the threads of all queues. Then the test proves less but
  /// does not fail.
  func waitUntilOthersWait() {
    let own = Self.statusPath
    for _ in 0..<10_000 {
      let (waiting, others) = lock.withLock {
        (expected, running.filter { $0.value > 0 && $0.key != own }.keys)
      }
      if waiting == 0, others.allSatisfy(Self.isAsleep) { return }
      usleep(1_000)
    }
  }

  private static var statusPath: String {
    // A link to, for example, "1234/task/1235" (proc(5)).
    let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return "/proc/\(thread ?? "thread-self")/stat"
  }

  /// Returns whether a thread sleeps or has ended.
  private static func isAsleep(_ statusPath: String) -> Bool {
    guard let status = try? String(contentsOfFile: statusPath, encoding: .utf8),
      let name = status.lastIndex(of: ")")
    else { return true }
    // The state follows the name in parentheses.
    return status[name...].dropFirst(2).first == "S"
  }
}
