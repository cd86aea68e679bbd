/// The serial queue of a context or coordinator.
///
/// Enqueued work runs on a dispatch queue. A caller that waits runs its work on its own thread when
/// its turn comes. Work of the main queue always runs on the main thread.
///
/// A caller also counts as being on every queue that waits for it: while queue A waits for work on queue B, that work
/// may use the objects of A's context. Calls to `performAndWait` may therefore be nested in any order.
final class ContextQueue: @unchecked Sendable {
  /// Marks the main queue. Set once per process.
  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    // Setting the value again would free the old one while a thread that runs the main queue may be reading it.
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
  /// Runs enqueued work.
  private let worker: DispatchQueue
  let isMain: Bool
  /// Whether this is not a real queue: everything runs immediately, on the calling thread.
  let isConfined: Bool
  /// Whether this is the queue of a coordinator.
  let isOfCoordinator: Bool
  /// The context of the queue. Set once, when the context is created. Weak, because the context
  /// retains its queue.
  nonisolated(unsafe) weak var context: NSManagedObjectContext?

  private let lock = NSLock()
  /// Whether work of the queue is running. Protected by `lock`, like `line`.
  private var isBusy = false
  private var line = WaitingLine()
  /// The number of blocks and callers that wait for the queue.
  var waitingCount: Int { lock.withLock { line.count } }

  init(_ type: NSManagedObjectContextConcurrencyType, isOfCoordinator: Bool = false) {
    self.isOfCoordinator = isOfCoordinator
    isMain = type == .mainQueueConcurrencyType
    isConfined = type.rawValue == 0
    if isMain {
      worker = .main
      _ = Self.mainKey
    } else {
      worker = DispatchQueue(label: "CoreData.context")
    }
  }

  /// Whether the caller runs on this queue, or this queue waits for the caller.
  var isCurrent: Bool {
    if isConfined { return true }
    if HeldQueue.current?.includes(self) == true { return true }
    return isMain && Self.isOnMainQueue
  }

  private static var isOnMainQueue: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
  }

  /// The context whose queue the caller entered last, if it still exists.
  static var presentContext: NSManagedObjectContext? { HeldQueue.current?.queue.context }

  /// The cancellation of the task that waits for the caller's work; nil if none waits.
  static var presentCancellation: Cancellation? { HeldQueue.current?.cancellation }

  /// Like `presentCancellation`, but nil if the cancellation does not end fetches.
  static var presentReadCancellation: Cancellation? {
    HeldQueue.current.flatMap { $0.endsReads ? $0.cancellation : nil }
  }

  /// Runs work of this queue that a task can cancel.
  func run<Result>(
    for cancellation: Cancellation, endsReads: Bool, _ body: () -> Result
  ) -> Result {
    HeldQueue(self, below: HeldQueue.current, cancellation, endsReads: endsReads).run(body)
  }

  /// A description of where the caller runs, for messages.
  static var presentDescription: String {
    if let queue = HeldQueue.current?.queue {
      if queue.isMain { return "the main queue" }
      if queue.isOfCoordinator { return "the queue of a persistent store coordinator" }
      // A block of such a context runs on the thread of its caller.
      if queue.isConfined { return "a block of another context, which has no queue" }
      return "the private queue of another context"
    }
    if Thread.isMainThread { return "the main thread" }
    let name = Thread.current.name ?? ""
    return name.isEmpty ? "a thread outside of any context's queue" : "the thread \"\(name)\""
  }

  /// Returns whether the other queue's context reads from this queue's context, directly or through other contexts. A
  /// coordinator's queue is above all contexts' queues.
  func isAbove(_ other: ContextQueue) -> Bool {
    guard let context else { return other.context != nil }
    var above = other.context?.parent
    while let next = above, next !== context { above = next.parent }
    return above != nil
  }

  // MARK: Running work

  /// Runs work on the queue, immediately if the caller is on it already, and returns its result.
  ///
  /// - Parameter child: The queue of the child context that calls its parent. The caller may be on
  ///   the child's thread without having entered its queue.
  func sync<Result, Failure: Error>(
    for child: ContextQueue? = nil, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var current = HeldQueue.current
    if let current, current.queue === self { return try body() }
    if let child, current?.queue !== child { current = HeldQueue(child, below: current) }
    let held = HeldQueue(self, below: current, servesChild: child != nil)
    if isCurrent { return try held.run(body) }
    if isMain { return try runOnMainThread(held, body) }
    let visit = waitForTurn(held)
    // Leaves the queue even after an error, because otherwise the queue would stay busy forever.
    defer { if let visit { visit.endVisit() } else { leave() } }
    return try held.run(body)
  }

  func async(_ body: @escaping () -> Void) {
    if isConfined { return HeldQueue(self, below: HeldQueue.current).run(body) }
    let work = Work(run: body)
    // The main dispatch queue keeps this work in order, together with other work of the program. `line` is for private
    // queues only.
    if isMain { return worker.async { [self] in run(work) } }
    let isFirst = lock.withLock {
      if isBusy { line.append(.work(work)) }
      defer { isBusy = true }
      return !isBusy
    }
    if isFirst { begin(work) }
  }

  /// Enqueued work. It is sendable although it may use the context's objects, because it runs only on the context's
  /// queue.
  fileprivate struct Work: @unchecked Sendable {
    let run: () -> Void
  }

  // No queue waits for enqueued work, so `below` is nil.
  private func run(_ work: Work) { HeldQueue(self, below: nil).run(work.run) }

  private func runOnMainThread<Result, Failure: Error>(
    _ held: HeldQueue, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    // The caller waits until the work has run and has been released, so the block does not escape.
    withoutActuallyEscaping(body) { body in
      let turn = QueueTurn(held, isOnMainThread: false) {
        held.run { result = Swift.Result(catching: body) }
      }
      turn.runWhenMainThreadIsFree()
      turn.wait()
    }
    guard let result else { stopProgram("the main queue did not run the block") }
    return try result.get()
  }

  // MARK: Turns

  /// Waits until the caller may run work of this queue.
  ///
  /// - Returns: The turn if it visits the queue (see `QueueTurn`); the caller must end the visit. Nil if the
  ///   caller owns the queue; the caller must leave it.
  private func waitForTurn(_ held: HeldQueue) -> QueueTurn? {
    // Usually the queue is free, and no turn is needed.
    if acquireIfFree(orEnqueue: nil) { return nil }
    let turn = QueueTurn(held, isOnMainThread: Self.isOnMainQueue)
    // The owner may have left since the first attempt, and would then never grant a turn that is enqueued later. So the
    // second attempt and the enqueueing are one step under the lock.
    if acquireIfFree(orEnqueue: turn) { return nil }
    turn.wait()
    return turn.isVisit ? turn : nil
  }

  private func acquireIfFree(orEnqueue turn: QueueTurn?) -> Bool {
    lock.withLock {
      let isFree = !isBusy
      isBusy = true
      if !isFree, let turn { line.append(.turn(turn)) }
      return isFree
    }
  }

  /// Ends the caller's ownership of the queue, and passes the queue to the next turn or work in line.
  private func leave() {
    if let work = grantNext() { begin(work) }
  }

  private func begin(_ work: Work) {
    worker.async { [self] in
      // Also runs the blocks that were enqueued in the meantime, which saves a dispatch for each of them.
      var next: Work? = work
      while let work = next {
        run(work)
        next = grantNext()
      }
    }
  }

  /// Passes the queue to the next turn or work in line.
  ///
  /// - Returns: The work that now owns the queue, if it is enqueued work.
  private func grantNext() -> Work? {
    while true {
      let next = lock.withLock {
        let next = line.popFirst()
        isBusy = next != nil
        return next
      }
      switch next {
      case nil: return nil
      case .work(let work): return work
      // Called outside of `lock`, so that `lock` and the lock of all turns are never held together.
      case .turn(let turn): if turn.grant() { return nil }
      }
    }
  }
}

/// The turns and the work that wait for a queue, in order of arrival.
private struct WaitingLine {
  enum Item {
    case work(ContextQueue.Work)
    case turn(QueueTurn)
  }

  private var arrived: [Item] = []
  /// The first items in reverse order.
  private var first: [Item] = []

  var count: Int { arrived.count + first.count }

  mutating func append(_ item: Item) { arrived.append(item) }

  mutating func popFirst() -> Item? {
    if first.isEmpty {
      first = arrived.reversed()
      arrived.removeAll()
    }
    return first.popLast()
  }
}
