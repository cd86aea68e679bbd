/// A thread that waits for a context's queue.
///
/// Contexts can wait for each other in a cycle: a parent's block calls `child.performAndWait`, while
/// the child's current block reads from the parent. To break such a deadlock, one of the turns is
/// admitted as a visitor: its work runs on the queue that it waits for, and the queue's owner resumes
/// after the visit. This is safe, because work that a block waits for may use what the block may use,
/// as in nested calls.
final class QueueTurn: @unchecked Sendable {
  private enum State {
    case waiting
    /// The thread owns the queue, and passes it on after its work. It resumes when its visitors have left.
    case granted
    /// The work runs as part of the work of the queue's owner, which waits meanwhile.
    case visiting(host: QueueTurn)
    /// The main thread, which owns the queue, runs the work.
    case runningOnMainThread
    case over
  }

  private let wanted: ContextQueue
  /// The wanted queue, and below it the queues that the waiting caller already uses.
  private let place: HeldQueue
  /// The queues that no other work can use before this wait ends.
  private let held: [ContextQueue]
  /// The held queues whose contexts wait for their parents in the middle of their own work.
  private let queuesWaitingForParent: [ContextQueue]
  private let isOnMainThread: Bool
  /// Whether the turn waits for a context above one that it holds, or for the main queue.
  private let isUpward: Bool
  private let wake = DispatchSemaphore(value: 0)

  // Protected by `lock`.
  private var state = State.waiting
  /// The turns that visit a queue that this thread holds.
  private var visitors: [QueueTurn] = []
  /// A visitor whose work this thread, the main thread, has to run, because work of the main queue runs only there.
  private var guest: QueueTurn?
  /// The work, if only the main thread may run it. Released once it has run.
  private var work: (() -> Void)?

  // One lock for all turns, because a cycle leads through the turns of several queues.
  private static let lock = NSLock()
  /// The waiting and the visiting turns, in the order in which they began. Protected by `lock`.
  nonisolated(unsafe) private static var present: [QueueTurn] = []

  /// - Parameter place: The wanted queue, and below it the queues that the waiting caller already uses.
  init(_ place: HeldQueue, isOnMainThread: Bool, work: (() -> Void)? = nil) {
    self.place = place
    wanted = place.queue
    held = place.below?.all ?? []
    queuesWaitingForParent = place.queuesWaitingForParent
    isUpward = place.queue.isMain || held.contains { place.queue.isAbove($0) }
    self.isOnMainThread = isOnMainThread
    self.work = work
  }

  // MARK: Waiting

  /// Waits until the turn is granted or admitted, or until the main thread has run the work.
  func wait() {
    Self.lock.withLock {
      // The queue is already granted, or the main thread already runs the work. The loop below ends
      // when `wake` is signaled.
      guard isWaiting else { return }
      Self.present.append(self)
      Self.admitDeadlockedTurns()
    }
    while true {
      wake.wait()
      Self.lock.lock()
      let guest = self.guest
      self.guest = nil
      // The signal may mean that there is a guest. Its work runs before this wait continues.
      let isOver = mayResume
      Self.lock.unlock()
      if let guest {
        guest.runWork()
      } else if isOver {
        return
      }
    }
  }

  /// Grants the queue to this turn.
  ///
  /// - Returns: False if the turn was already admitted as a visitor, and no longer needs the queue.
  func grant() -> Bool {
    let isGranted = Self.lock.withLock {
      guard isWaiting else { return false }
      state = .granted
      // A turn with visitors cannot resume yet, so other turns may still wait for it in a cycle.
      if visitors.isEmpty { Self.remove(self) } else { Self.admitDeadlockedTurns() }
      return true
    }
    if isGranted { wake.signal() }
    return isGranted
  }

  /// Whether the turn visits a queue. Read by its thread after the wait.
  var isVisit: Bool {
    Self.lock.withLock { isVisiting }
  }

  /// Ends a visit. The host may resume, and other turns may be admitted.
  func endVisit() {
    Self.lock.withLock {
      // A turn whose work ran when the main thread was free is not a visitor.
      guard case .visiting(let host) = state else { return }
      state = .over
      Self.remove(self)
      host.visitors.removeAll { $0 === self }
      if host.visitors.isEmpty { host.visitorsHaveLeft() }
      Self.admitDeadlockedTurns()
    }
  }

  private func visitorsHaveLeft() {
    if isWaiting {
      if wanted.isMain { runWhenMainThreadIsFree() }
    } else {
      Self.remove(self)
      wake.signal()
    }
  }

  private var isWaiting: Bool {
    if case .waiting = state { true } else { false }
  }

  private var mayResume: Bool {
    switch state {
    case .waiting, .runningOnMainThread: false
    case .visiting: !wanted.isMain
    case .granted, .over: visitors.isEmpty
    }
  }

  private static func remove(_ turn: QueueTurn) { present.removeAll { $0 === turn } }

  // MARK: Work of the main queue

  /// Runs the work on the main thread when that is free, unless the turn is admitted before.
  func runWhenMainThreadIsFree() {
    DispatchQueue.main.async { [self] in
      let mayRun = Self.lock.withLock {
        // The turn may have visitors on the queues below. Their work must not run at the same time as
        // this work, which is started again when they have left.
        guard isWaiting, visitors.isEmpty else { return false }
        state = .runningOnMainThread
        Self.remove(self)
        return true
      }
      if mayRun { runWork() }
    }
  }

  @inline(never)
  private func runWork() {
    // Runs and releases the work before it signals the waiting thread: the work must not outlive that
    // thread's call.
    callWork()
    endVisit()
    Self.lock.withLock { state = .over }
    wake.signal()
  }

  /// Runs the work and releases it.
  @inline(never)
  private func callWork() {
    let work = Self.lock.withLock {
      defer { self.work = nil }
      return self.work
    }
    work?()
  }
}

// MARK: - Deadlocks

/// Callers of these members must hold `lock`.
extension QueueTurn {
  /// Admits each waiting turn whose queue is owned by a thread that itself waits for this turn, so
  /// that neither of them could resume.
  ///
  /// A visit should not interrupt a context in the middle of its own work, that is, while it waits
  /// for its parent. So another turn of the cycle is admitted if possible. If two contexts wait for
  /// each other, there always is one, because a parent does not wait for its children in its own
  /// work. In a longer cycle, every context may be waiting for its parent. Then a visit interrupts a
  /// context that fetches, and only as a last resort one that saves, because a save inside of a save
  /// throws.
  private static func admitDeadlockedTurns() {
    // A single turn is in no cycle: it waits for a thread that is running.
    if present.count < 2 { return }
    // The queues whose owners run. Often many children wait for one busy parent, so its owner is
    // searched only once.
    var running: [ContextQueue] = []
    // Turns that wait for a parent come first, so that a child's work ends while its parent's block
    // waits. Otherwise the parent's block would continue in the middle of the child's work.
    let turns = present.filter(\.isUpward) + present.filter { !$0.isUpward }
    for most in InterruptedWork.allCases {
      for turn in turns where turn.isWaiting && turn.visitors.isEmpty {
        if running.contains(where: { $0 === turn.wanted }) { continue }
        guard let owner = owner(of: turn.wanted) else {
          running.append(turn.wanted)
          continue
        }
        if interruptedWork(of: turn.wanted).rawValue > most.rawValue { continue }
        if owner.waits(for: turn) { turn.visit(owner) }
      }
    }
  }

  /// The work of a context that a visit interrupts.
  private enum InterruptedWork: Int, CaseIterable {
    case nothing, fetch, save
  }

  private static func interruptedWork(of queue: ContextQueue) -> InterruptedWork {
    let isWaitingForParent = present.contains {
      !$0.isVisiting && $0.queuesWaitingForParent.contains { $0 === queue }
    }
    // Can be read on this thread, because the context's own thread waits and cannot change the value.
    return !isWaitingForParent ? .nothing : queue.context?.session.isSaving == true ? .save : .fetch
  }

  private func visit(_ host: QueueTurn) {
    state = .visiting(host: host)
    Self.remove(self)
    // The turn is appended at the end, because `owner(of:)` returns the last turn in the list that
    // holds a queue.
    Self.present.append(self)
    host.visitors.append(self)
    if wanted.isMain {
      host.guest = self
      host.wake.signal()
    } else {
      wake.signal()
    }
  }

  private var isVisiting: Bool {
    if case .visiting = state { true } else { false }
  }

  /// Returns the turn of the thread that most recently began to use a queue; nil if that thread is running.
  private static func owner(of queue: ContextQueue) -> QueueTurn? {
    present.last { $0.holds(queue) }.flatMap { $0.isVisiting ? nil : $0 }
  }

  private func holds(_ queue: ContextQueue) -> Bool {
    if !isWaiting, wanted === queue || wanted.isMain && queue.isMain { return true }
    return queue.isMain ? isOnMainThread : held.contains { $0 === queue }
  }

  /// Returns whether this turn cannot resume before another one.
  private func waits(for other: QueueTurn) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var open = [self]
    while let turn = open.popLast() {
      if turn === other { return true }
      if seen.insert(ObjectIdentifier(turn)).inserted { open += turn.awaited }
    }
    return false
  }

  /// The turns that have to resume before this one.
  private var awaited: [QueueTurn] {
    let visits = visitors.compactMap { visitor in
      Self.present.last {
        !$0.isVisiting && $0.place.below?.isPart(of: visitor.place) == true
      }
    }
    return visits + (isWaiting ? [Self.owner(of: wanted)].compactMap(\.self) : [])
  }
}
