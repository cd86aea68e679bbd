/// A context's queue on which the current thread runs, and the queues that wait for it.
final class HeldQueue: @unchecked Sendable {
  let queue: ContextQueue
  let below: HeldQueue?
  /// Whether the queue's context works for its child, the context of the queue below. The child waits in the
  /// middle of its own work.
  private let servesChild: Bool
  /// The cancellation of the task that waits for this work, directly or through other work.
  let cancellation: Cancellation?
  /// Whether the cancellation also ends fetches.
  let endsReads: Bool

  init(
    _ queue: ContextQueue, below: HeldQueue?, servesChild: Bool = false,
    _ cancellation: Cancellation? = nil, endsReads: Bool = false
  ) {
    self.queue = queue
    self.below = below
    self.servesChild = servesChild
    // Work with its own cancellation also has its own `endsReads`. Other work inherits both from the work below.
    self.endsReads = endsReads || (cancellation == nil && below?.endsReads == true)
    self.cancellation = cancellation ?? below?.cancellation
  }

  // The value is not retained, so the key needs no destructor.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var current: HeldQueue? {
    pthread_getspecific(key).map { Unmanaged<HeldQueue>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body` as work of this queue, on the current thread.
  func run<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let before = pthread_getspecific(Self.key)
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    defer {
      pthread_setspecific(Self.key, before)
      // The thread-specific value does not retain this object.
      withExtendedLifetime(self) {}
    }
    return try body()
  }

  /// Returns whether a queue is this one or waits for it, directly or through other queues.
  func includes(_ other: ContextQueue) -> Bool {
    var held = self
    while true {
      // All contexts of the main queue share the main thread.
      if held.queue === other || other.isMain && held.queue.isMain { return true }
      guard let below = held.below else { return false }
      held = below
    }
  }

  /// Returns whether this is the given work, or was started by it, directly or through other work.
  func isPart(of work: HeldQueue) -> Bool {
    var held = self
    while held !== work {
      guard let below = held.below else { return false }
      held = below
    }
    return true
  }

  /// All queues that no other work can use before this work ends.
  var all: [ContextQueue] { [queue] + (below?.all ?? []) }

  /// The queues whose contexts wait for their parents in the middle of their own work.
  var queuesWaitingForParent: [ContextQueue] {
    (servesChild ? [below?.queue].compactMap(\.self) : []) + (below?.queuesWaitingForParent ?? [])
  }
}
