/// A context's queue: work runs in the order in which it came, one at a time.
///
/// What is only enqueued runs on a thread of its own; a caller that waits runs its work itself when its turn comes.
/// The main queue's work always runs on the main thread.
///
/// A caller is also on the queues of those who wait for it: A waits for B, and what runs on B may
/// use what belongs to A. So `performAndWait` may be nested in any order.
final class ContextQueue: @unchecked Sendable {
  /// Marks the main queue, once in a process: to set a value again frees the one before it, which a thread that runs the
  /// main queue may be reading.
  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
  /// Runs what is only enqueued.
  private let worker: DispatchQueue
  let isMain: Bool
  /// Whether there is no queue in truth: everything runs at once, on the caller.
  let isConfined: Bool
  /// Whose queue this is; set once, when the context is made.
  nonisolated(unsafe) weak var context: NSManagedObjectContext?

  private let lock = NSLock()
  /// Whether work of the queue runs now. Changed while `lock` is held, as is the line.
  private var isBusy = false
  private var line = WaitingLine()

  init(_ type: NSManagedObjectContextConcurrencyType) {
    isMain = type == .mainQueueConcurrencyType
    isConfined = type.rawValue == 0
    if isMain {
      worker = .main
      _ = Self.mainKey
    } else {
      worker = DispatchQueue(label: "CoreData.context")
    }
  }

  /// Whether the caller runs on this queue, or work of this queue waits for the caller.
  var isCurrent: Bool {
    if isConfined { return true }
    if HeldQueue.current?.includes(self) == true { return true }
    return isMain && Self.isOnMainQueue
  }

  private static var isOnMainQueue: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: mainKey) == true
  }

  /// The context whose queue the caller was put on last, if it still is there.
  static var presentContext: NSManagedObjectContext? { HeldQueue.current?.queue.context }

  /// What the task that waits for the caller's work ends its requests with; nil where none waits.
  static var presentCancellation: Cancellation? { HeldQueue.current?.cancellation }

  /// What that task ends fetches with, where the work is to be ended in the middle of them.
  static var presentReadCancellation: Cancellation? {
    HeldQueue.current.flatMap { $0.endsReads ? $0.cancellation : nil }
  }

  /// Runs work of this queue for a task, of which it is known whether it was cancelled.
  func run<Result>(
    for cancellation: Cancellation, endsReads: Bool, _ body: () -> Result
  ) -> Result {
    HeldQueue(self, below: HeldQueue.current, cancellation, endsReads: endsReads).run(body)
  }

  /// Where the caller runs, for a message.
  static var presentDescription: String {
    if let held = HeldQueue.current {
      return held.queue.isMain ? "the main queue" : "the private queue of another context"
    }
    if Thread.isMainThread { return "the main thread" }
    let name = Thread.current.name ?? ""
    return name.isEmpty ? "a thread of no context" : "the thread \"\(name)\""
  }

  /// Whether another queue's context reads from this one's, directly or through others; a coordinator's queue is above
  /// those of all contexts.
  func isAbove(_ other: ContextQueue) -> Bool {
    guard let context else { return other.context != nil }
    var above = other.context?.parent
    while let next = above, next !== context { above = next.parent }
    return above != nil
  }

  // MARK: Running work

  /// Runs now when on the queue already, else waits for it.
  ///
  /// - Parameter child: the queue of a child that asks this one's context; the caller may be on its thread without having
  ///   been put on its queue.
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
    defer { if let visit { visit.endVisit() } else { leave() } }
    return try held.run(body)
  }

  func async(_ body: @escaping () -> Void) {
    if isConfined { return HeldQueue(self, below: HeldQueue.current).run(body) }
    let work = Work(run: body)
    if isMain { return worker.async { [self] in run(work) } }
    let isFirst = lock.withLock {
      if isBusy { line.append(.work(work)) }
      defer { isBusy = true }
      return !isBusy
    }
    if isFirst { begin(work) }
  }

  /// Work for a context's queue, which may use what belongs there.
  fileprivate struct Work: @unchecked Sendable {
    let run: () -> Void
  }

  private func run(_ work: Work) { HeldQueue(self, below: nil).run(work.run) }

  private func runOnMainThread<Result, Failure: Error>(
    _ held: HeldQueue, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var result: Swift.Result<Result, Failure>?
    withoutActuallyEscaping(body) { body in
      let turn = QueueTurn(held, isOnMainThread: false) {
        held.run { result = Swift.Result(catching: body) }
      }
      turn.runWhenMainThreadIsFree()
      turn.wait()
    }
    guard let result else { stopProgram("the main queue did not run what it was given") }
    return try result.get()
  }

  // MARK: Whose turn it is

  /// Waits until the caller may run work of this queue.
  ///
  /// - Returns: the visit, if the queue's owner lets the caller in, which has to end it; nil if the queue is the caller's,
  ///   which has to leave it.
  private func waitForTurn(_ held: HeldQueue) -> QueueTurn? {
    if acquireIfFree(orEnqueue: nil) { return nil }
    let turn = QueueTurn(held, isOnMainThread: Self.isOnMainQueue)
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

  /// Grants the queue to the next in line, from a caller that had waited for it.
  private func leave() {
    if let work = grantNext() { begin(work) }
  }

  private func begin(_ work: Work) {
    worker.async { [self] in
      var next: Work? = work
      while let work = next {
        run(work)
        next = grantNext()
      }
    }
  }

  /// Grants the queue to the next turn or work in line.
  ///
  /// - Returns: the work that has it now, where that was only enqueued.
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
      case .turn(let turn): if turn.grant() { return nil }
      }
    }
  }
}

/// What is to run on a queue, in the order in which it came.
private struct WaitingLine {
  enum Item {
    case work(ContextQueue.Work)
    case turn(QueueTurn)
  }

  private var arrived: [Item] = []
  /// The first ones, the next at the end.
  private var first: [Item] = []

  mutating func append(_ item: Item) { arrived.append(item) }

  mutating func popFirst() -> Item? {
    if first.isEmpty {
      first = arrived.reversed()
      arrived.removeAll()
    }
    return first.popLast()
  }
}
