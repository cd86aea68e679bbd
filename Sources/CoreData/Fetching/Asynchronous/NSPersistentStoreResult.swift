/// What a request gave; the base of the results of `NSManagedObjectContext.execute(_:)`.
nonisolated open class NSPersistentStoreResult: NSObject, @unchecked Sendable {}

/// The result of a request that goes on after `execute(_:)` has returned.
nonisolated open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult,
  @unchecked Sendable
{
  private let lock = NSLock()
  private var lockedError: (any Error)?

  /// The context that the request was executed in.
  public let managedObjectContext: NSManagedObjectContext
  /// How far the work is: the units are results. A child of the progress that was current when the
  /// request was executed. Cancelling it cancels the request.
  public let progress: Progress?

  init(_ context: NSManagedObjectContext, progress: Progress?) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// Makes a result of nothing in a context of its own, as a stand-in in tests.
  public override init() {
    managedObjectContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    progress = nil
    super.init()
  }

  /// Why there is no result: `CocoaError.userCancelled` after a cancellation, or the store's error;
  /// nil while the work goes on and when all went well.
  open var operationError: (any Error)? { lock.withLock { lockedError } }

  func fail(_ error: any Error) { lock.withLock { lockedError = error } }

  /// Ends the work as soon as possible, also inside SQLite. The completion block is still called.
  open func cancel() { progress?.cancel() }
}

/// The result of an asynchronous fetch.
nonisolated open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>:
  NSPersistentStoreAsynchronousResult, @unchecked Sendable
{
  private let resultLock = NSLock()
  private var lockedResult: [ResultType]?

  /// The request.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>

  init(
    _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext,
    progress: Progress?
  ) {
    fetchRequest = request
    super.init(context, progress: progress)
  }

  /// Makes a result of nothing in a context of its own, as a stand-in in tests.
  public override init() {
    fetchRequest = NSAsynchronousFetchRequest()
    super.init()
  }

  /// The results; nil while the work goes on, and when it failed. Objects belong to the context's
  /// queue.
  open var finalResult: [ResultType]? { resultLock.withLock { lockedResult } }

  func finish(_ results: [ResultType]) { resultLock.withLock { lockedResult = results } }
}
