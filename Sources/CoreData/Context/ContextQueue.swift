import Foundation

/// A context's queue, which knows whether the caller is on it.
///
/// A caller is also on the queues of those who wait for it: A waits for B, and what runs on B may
/// use what belongs to A. So `performAndWait` may be nested in any order.
final class ContextQueue: Sendable {
  /// Marks the main queue, once in a process: to set a value again frees the one before it, which a thread that runs the
  /// main queue may be reading.
  private static let mainKey = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
  private let queue: DispatchQueue
  let isMain: Bool
  /// Whether there is no queue in truth: everything runs at once, on the caller.
  let isConfined: Bool
  /// Whose queue this is; set once, when the context is made.
  nonisolated(unsafe) weak var context: NSManagedObjectContext?

  init(_ type: NSManagedObjectContextConcurrencyType) {
    isMain = type == .mainQueueConcurrencyType
    isConfined = type.rawValue == 0
    if isMain {
      queue = .main
      _ = Self.mainKey
    } else {
      queue = DispatchQueue(label: "CoreData.context")
    }
  }

  /// Whether the caller runs on this queue, or somebody on this queue waits for the caller.
  var isCurrent: Bool {
    if isConfined { return true }
    var held = HeldQueue.current
    while let holder = held {
      if holder.queue === self || isMain && holder.queue.isMain { return true }
      held = holder.below
    }
    return isMain && (Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainKey) == true)
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

  /// Runs now when on the queue already, else waits for it.
  func sync<Result>(_ body: () throws -> Result) rethrows -> Result {
    let current = HeldQueue.current
    if let current, current.queue === self { return try body() }
    let held = HeldQueue(self, below: current)
    if isCurrent { return try held.run(body) }
    return try queue.sync { try held.run(body) }
  }

  func async(_ body: @escaping () -> Void) {
    if isConfined { return HeldQueue(self, below: HeldQueue.current).run(body) }
    let work = Work(run: body)
    queue.async { HeldQueue(self, below: nil).run(work.run) }
  }

  /// Work for a context's queue, which may use what belongs there.
  private struct Work: @unchecked Sendable {
    let run: () -> Void
  }
}

/// A context's queue that the present thread runs on, and those that wait for it.
private final class HeldQueue: @unchecked Sendable {
  let queue: ContextQueue
  let below: HeldQueue?
  /// That of the task that waits for this work, or for what waits for it.
  let cancellation: Cancellation?
  /// Whether it ends fetches, too.
  let endsReads: Bool

  init(
    _ queue: ContextQueue, below: HeldQueue?, _ cancellation: Cancellation? = nil,
    endsReads: Bool = false
  ) {
    self.queue = queue
    self.below = below
    self.endsReads = endsReads || (cancellation == nil && below?.endsReads == true)
    self.cancellation = cancellation ?? below?.cancellation
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var current: HeldQueue? {
    pthread_getspecific(key).map { Unmanaged<HeldQueue>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body` as work of this queue, on the present thread.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = pthread_getspecific(Self.key)
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer {
      pthread_setspecific(Self.key, before)
      withExtendedLifetime(self) {}
    }
    return try body()
  }
}
