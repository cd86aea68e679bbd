import Foundation

/// A thread that waits for a context's queue.
///
/// Contexts may come to wait for each other in a circle: a parent's work for a child (`child.performAndWait`), and the
/// child's present work for the parent, from which it reads. Then one of them is let in: what a block waits for may use
/// what is the block's, as it may in nested calls. It is not let into a context that is in the middle of its own work,
/// that is, asks its parent. As parents do not ask their children, there is one in each circle that can be let in.
final class QueueTurn: @unchecked Sendable {
  /// What has become of the wait.
  enum Outcome {
    /// The queue is this thread's; it has to give it on.
    case granted
    /// The queue's owner waits for this thread, which runs its work as part of the owner's.
    case letIn
    /// Another thread, to which the queue belongs, has run the work.
    case done
  }

  private let wanted: ContextQueue
  private let holder: HeldQueue?
  /// The queues that cannot be used before this wait ends.
  private let held: [ContextQueue]
  private let isOnMainThread: Bool
  /// Those of them whose contexts are in the middle of their own work.
  private let asking: [ContextQueue]
  /// Whether it waits for a context from which one of its own reads, or for the main queue.
  private let isUpward: Bool
  private let wake = DispatchSemaphore(value: 0)

  // Changed while `lock` is held.
  private var isWaiting = true
  private var outcome: Outcome?
  /// Turns whose work this thread has to run while it waits, as the queue that they want can run on this thread only.
  private var guests: [QueueTurn] = []
  /// The work, where only the thread to which the queue is bound may run it. It is not kept any longer.
  private var work: ((_ interrupted: HeldQueue?) -> Void)?

  private static let lock = NSLock()
  /// Those that were not granted at once. Changed while `lock` is held.
  nonisolated(unsafe) private static var waiting: [QueueTurn] = []

  /// - Parameter wish: the queue, and those below it, as they are to be.
  init(
    _ wish: HeldQueue, isOnMainThread: Bool, work: ((_ interrupted: HeldQueue?) -> Void)? = nil
  ) {
    wanted = wish.queue
    holder = wish.below
    held = wish.below?.all ?? []
    asking = wish.asking
    isUpward = wish.queue.isMain || held.contains { wish.queue.isAbove($0) }
    self.isOnMainThread = isOnMainThread || held.contains(where: \.isMain)
    self.work = work
  }

  /// Waits for the queue, which the turn has been lined up for.
  func wait() -> Outcome {
    Self.lock.withLock {
      guard isWaiting else { return }
      Self.waiting.append(self)
      Self.letIn()
    }
    while true {
      wake.wait()
      Self.lock.lock()
      let guest = guests.popLast()
      let outcome = self.outcome
      Self.lock.unlock()
      if let guest {
        guest.runWork(interrupted: holder)
      } else if let outcome {
        return outcome
      }
    }
  }

  /// Gives the queue to this turn.
  ///
  /// - Returns: false if it was let in before, and needs the queue no longer.
  func grant() -> Bool {
    let isGranted = Self.lock.withLock { end(.granted) }
    if isGranted { wake.signal() }
    return isGranted
  }

  /// Runs the work on the thread to which the queue is bound, unless it was let in before.
  func runIfWaiting() {
    if Self.lock.withLock({ end(nil) }) { runWork(interrupted: nil) }
  }

  /// - Returns: whether it was waiting until now.
  private func end(_ outcome: Outcome?) -> Bool {
    guard isWaiting else { return false }
    isWaiting = false
    self.outcome = outcome
    Self.waiting.removeAll { $0 === self }
    return true
  }

  @inline(never)
  private func runWork(interrupted: HeldQueue?) {
    callWork(interrupted)
    Self.lock.withLock { outcome = .done }
    wake.signal()
  }

  /// Calls the work and releases it: the thread that waits for it may not return before.
  @inline(never)
  private func callWork(_ interrupted: HeldQueue?) {
    let work = Self.lock.withLock {
      defer { self.work = nil }
      return self.work
    }
    work?(interrupted)
  }

  // MARK: Waits in a circle

  /// Lets those in that keep the owner of the queue that they want waiting. While `lock` is held.
  private static func letIn() {
    if waiting.count < 2 { return }
    // Mostly many children wait for one busy parent.
    var running: [ContextQueue] = []
    // A child goes on in its parent's block before the parent goes on in the middle of the child's.
    for turn in waiting.filter(\.isUpward) + waiting.filter({ !$0.isUpward })
    where turn.isWaiting && !running.contains(where: { $0 === turn.wanted }) {
      guard let owner = owner(of: turn.wanted) else {
        running.append(turn.wanted)
        continue
      }
      let isAsking = waiting.contains { $0.asking.contains { $0 === turn.wanted } }
      if isAsking || !owner.waits(for: turn) { continue }
      if turn.wanted.isMain {
        guard turn.end(nil) else { continue }
        owner.guests.append(turn)
        owner.wake.signal()
      } else if turn.end(.letIn) {
        turn.wake.signal()
      }
    }
  }

  /// The waiting turn whose thread a queue belongs to: who was let in after another one has come later.
  private static func owner(of queue: ContextQueue) -> QueueTurn? {
    waiting.last { $0.holds(queue) }
  }

  private func holds(_ queue: ContextQueue) -> Bool {
    queue.isMain ? isOnMainThread : held.contains { $0 === queue }
  }

  /// Whether what this turn wants is, over any number of waits, another one's.
  private func waits(for other: QueueTurn) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var turn = self
    while seen.insert(ObjectIdentifier(turn)).inserted {
      if other.holds(turn.wanted) { return true }
      guard let next = Self.owner(of: turn.wanted) else { return false }
      turn = next
    }
    return false
  }
}
