/// A thread that waits for a context's queue.
///
/// Contexts can wait for each other in a cycle: a parent's block calls `child.performAndWait`, while
/// the child's current block reads from the parent. To break such a deadlock, one of the turns is
/// admitted as a visitor: its work runs on the queue that it waits for, and the queue's owner resumes
/// after the visit. Work that a block waits for may use what the block may use, as in nested calls.
final class QueueTurn: @unchecked Sendable {
  private enum State {
    case waiting
    /// The thread owns the queue, and has to pass it on. It resumes when its visitors have left.
    case granted
    /// The work runs as part of the work of the queue's owner, which waits meanwhile.
    case visiting(host: QueueTurn)
    /// The main thread, which owns the queue, runs the work.
    case runningOnMainThread
    case over
  }

  private let wanted: ContextQueue
  /// The wanted queue, and the queues below it.
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
  /// A visitor whose work this thread has to run: that of the main queue runs on the main thread.
  private var guest: QueueTurn?
  /// The work, if only the main thread may run it. Released once it has run.
  private var work: (() -> Void)?

  // One lock for all turns, because a cycle leads through the turns of several queues.
  private static let lock = NSLock()
  /// The waiting and the visiting turns, in the order in which they began. Protected by `lock`.
  nonisolated(unsafe) private static var present: [QueueTurn] = []

  /// - Parameter place: The wanted queue, and the queues below it.
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
      // Granted already: `wake` is signaled, so the loop below ends immediately.
      guard isWaiting else { return }
      Self.present.append(self)
      Self.admitDeadlockedTurns()
    }
    while true {
      wake.wait()
      Self.lock.lock()
      let guest = self.guest
      self.guest = nil
      // The signal may mean a guest, whose work runs before this wait continues.
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
  /// - Returns: False if the turn was admitted before, and no longer needs the queue.
  func grant() -> Bool {
    let isGranted = Self.lock.withLock {
      guard isWaiting else { return false }
      state = .granted
      // With visitors it cannot resume yet, so others may still wait for it in a cycle.
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
      // Work that ran when the main thread was free is not a visit.
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
        // A visitor of a queue below would run concurrently. The work runs when the visitors have left.
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
    // Before the waiting thread is signaled, which must not return while the work still exists.
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

/// All of these are called while `lock` is held.
extension QueueTurn {
  /// Admits the waiting turns that the owners of their queues wait for, so that neither could resume.
  ///
  /// Avoids contexts in the middle of their own work, that is, waiting for a parent, as long as
  /// another turn of the cycle can be admitted. Two contexts that wait for each other always have
  /// one, because parents do not wait for children in their own work. In a longer cycle, every
  /// context may be waiting for its parent. Then contexts that fetch are preferred, and contexts
  /// that save are the last resort, because a save inside of a save throws.
  private static func admitDeadlockedTurns() {
    // A single turn waits for a thread that is running.
    if present.count < 2 { return }
    // The common case is that many children wait for one busy parent.
    var running: [ContextQueue] = []
    // A child in its parent's block resumes before the parent resumes amid the child's work.
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
    // Safe on this thread: the context's own thread waits, so the value cannot change.
    return !isWaitingForParent ? .nothing : queue.context?.session.isSaving == true ? .save : .fetch
  }

  private func visit(_ host: QueueTurn) {
    state = .visiting(host: host)
    Self.remove(self)
    // At the end, because the order in the list says which thread was put on a queue last.
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

  /// Returns the waiting turn whose thread was put on a queue last; nil if that thread runs.
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
