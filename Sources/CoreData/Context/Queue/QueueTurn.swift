/// A thread that waits for a context's queue.
///
/// Contexts may come to wait for each other in a circle: a parent's work for a child (`child.performAndWait`), and the
/// child's present work for the parent, from which it reads. Then one of them is let in: it visits the queue that it
/// wants, whose owner goes on only after the visit has ended. What a block waits for may use what is the block's, as it
/// may in nested calls.
final class QueueTurn: @unchecked Sendable {
  private enum State {
    case waiting
    /// The queue is this thread's, which has to give it on. It goes on when its visitors have left.
    case granted
    /// The work runs as part of what the queue's owner does, while that waits.
    case visiting(host: QueueTurn)
    /// The main thread, to which the queue belongs, runs the work.
    case runByOther
    case over
  }

  private let wanted: ContextQueue
  /// The queue that is wanted, and those below it.
  private let place: HeldQueue
  /// The queues that cannot be used before this wait ends.
  private let held: [ContextQueue]
  /// Those of them whose contexts wait for their parents in the middle of their own work.
  private let queuesWaitingForParent: [ContextQueue]
  private let isOnMainThread: Bool
  /// Whether it waits for a context from which one of its own reads, or for the main queue.
  private let isUpward: Bool
  private let wake = DispatchSemaphore(value: 0)

  // Changed while `lock` is held.
  private var state = State.waiting
  /// The turns that visit a queue which this thread holds.
  private var visitors: [QueueTurn] = []
  /// The one of them whose work this thread has to run, as the main queue's runs on the main thread only.
  private var guest: QueueTurn?
  /// The work, where only the main thread may run it. It is not kept any longer.
  private var work: (() -> Void)?

  private static let lock = NSLock()
  /// Those that wait and those that visit, in the order in which they began to. Changed while `lock` is held.
  nonisolated(unsafe) private static var present: [QueueTurn] = []

  /// - Parameter place: the queue that is wanted, and those below it.
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

  /// Waits for the queue, which the turn has been lined up for, or until the main thread has run the work.
  func wait() {
    Self.lock.withLock {
      guard isWaiting else { return }
      Self.present.append(self)
      Self.admitDeadlockedTurns()
    }
    while true {
      wake.wait()
      Self.lock.lock()
      let guest = self.guest
      self.guest = nil
      let isOver = mayGoOn
      Self.lock.unlock()
      if let guest {
        guest.runWork()
      } else if isOver {
        return
      }
    }
  }

  /// Gives the queue to this turn.
  ///
  /// - Returns: false if it was let in before, and needs the queue no longer.
  func grant() -> Bool {
    let isGranted = Self.lock.withLock {
      guard isWaiting else { return false }
      state = .granted
      if visitors.isEmpty { Self.remove(self) } else { Self.admitDeadlockedTurns() }
      return true
    }
    if isGranted { wake.signal() }
    return isGranted
  }

  /// Whether the work is part of what the queue's owner does. Asked by the thread of the turn, after the wait.
  var isVisit: Bool {
    Self.lock.withLock { isVisiting }
  }

  /// Ends a visit: its host may go on, and others may be let in after it.
  func endVisit() {
    Self.lock.withLock {
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

  private var mayGoOn: Bool {
    switch state {
    case .waiting, .runByOther: false
    case .visiting: !wanted.isMain
    case .granted, .over: visitors.isEmpty
    }
  }

  private static func remove(_ turn: QueueTurn) { present.removeAll { $0 === turn } }

  // MARK: Work of the main queue

  /// Runs the work on the main thread when that is free, unless it is let in before.
  func runWhenMainThreadIsFree() {
    DispatchQueue.main.async { [self] in
      let mayRun = Self.lock.withLock {
        // What visits a queue below would run beside it. It runs when they have left.
        guard isWaiting, visitors.isEmpty else { return false }
        state = .runByOther
        Self.remove(self)
        return true
      }
      if mayRun { runWork() }
    }
  }

  @inline(never)
  private func runWork() {
    callWork()
    endVisit()
    Self.lock.withLock { state = .over }
    wake.signal()
  }

  /// Calls the work and releases it: the thread that waits for it may not return before.
  @inline(never)
  private func callWork() {
    let work = Self.lock.withLock {
      defer { self.work = nil }
      return self.work
    }
    work?()
  }
}

// MARK: - Waits in a circle

/// All of it while `lock` is held.
extension QueueTurn {
  /// Admits the waiting turns that keep the owner of the queue that they want waiting.
  ///
  /// Not into a context that is in the middle of its own work, that is, asks its parent, if another one of the circle can
  /// be let in. As parents do not ask their children, that is so where two contexts wait for each other; in a circle of
  /// more each may be waiting for its parent. Then it is one that fetches, and one that saves only where all do: a save inside of it
  /// throws.
  private static func admitDeadlockedTurns() {
    if present.count < 2 { return }
    // Mostly many children wait for one busy parent.
    var running: [ContextQueue] = []
    // A child goes on in its parent's block before the parent goes on in the middle of the child's.
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

  /// What a context is doing when another thread's work is let into it.
  private enum InterruptedWork: Int, CaseIterable {
    case nothing, fetch, save
  }

  private static func interruptedWork(of queue: ContextQueue) -> InterruptedWork {
    let isWaitingForParent = present.contains {
      !$0.isVisiting && $0.queuesWaitingForParent.contains { $0 === queue }
    }
    // Read from another thread: the context's own thread waits, so the value cannot change.
    return !isWaitingForParent ? .nothing : queue.context?.session.isSaving == true ? .save : .fetch
  }

  private func visit(_ host: QueueTurn) {
    state = .visiting(host: host)
    Self.remove(self)
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

  /// The waiting turn whose thread came to a queue last; nil if that thread runs.
  private static func owner(of queue: ContextQueue) -> QueueTurn? {
    present.last { $0.holds(queue) }.flatMap { $0.isVisiting ? nil : $0 }
  }

  private func holds(_ queue: ContextQueue) -> Bool {
    if !isWaiting, wanted === queue || wanted.isMain && queue.isMain { return true }
    return queue.isMain ? isOnMainThread : held.contains { $0 === queue }
  }

  /// Whether this turn cannot go on before another one.
  private func waits(for other: QueueTurn) -> Bool {
    var seen: Set<ObjectIdentifier> = []
    var open = [self]
    while let turn = open.popLast() {
      if turn === other { return true }
      if seen.insert(ObjectIdentifier(turn)).inserted { open += turn.awaited }
    }
    return false
  }

  /// What has to go on before this turn does.
  private var awaited: [QueueTurn] {
    let visits = visitors.compactMap { visitor in
      Self.present.last {
        !$0.isVisiting && $0.place.below?.isPart(of: visitor.place) == true
      }
    }
    return visits + (isWaiting ? [Self.owner(of: wanted)].compactMap(\.self) : [])
  }
}
