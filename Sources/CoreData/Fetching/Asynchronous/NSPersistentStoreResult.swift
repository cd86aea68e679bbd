/// The base class of the results of `NSManagedObjectContext.execute(_:)`.
nonisolated open class NSPersistentStoreResult: NSObject, @unchecked Sendable {}

/// The result of a request that continues after `execute(_:)` has returned.
nonisolated open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult,
  @unchecked Sendable
{
  private let lock = NSLock()
  private var lockedError: (any Error)?

  /// The context that executed the request.
  public let managedObjectContext: NSManagedObjectContext
  /// The progress of the request, counted in results; nil if the request was completed by `execute(_:)`. It is a child
  /// of the progress that was current when the request was executed. Cancelling it cancels the request.
  public let progress: Progress?

  init(_ context: NSManagedObjectContext, progress: Progress?) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// Creates an empty result in a new context, for use in tests.
  public override init() {
    managedObjectContext = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    progress = nil
    super.init()
  }

  /// The error that ended the request: `CocoaError.userCancelled` after a cancellation, otherwise the error of the
  /// fetch. It is nil while the request runs and after it succeeded.
  open var operationError: (any Error)? { lock.withLock { lockedError } }

  func fail(_ error: any Error) { lock.withLock { lockedError = error } }

  /// Cancels the request, so that ``operationError`` is `CocoaError.userCancelled`. The completion block is still
  /// called.
  ///
  /// The request ends as soon as possible: SQLite is interrupted, and a predicate that is evaluated on objects, such as a
  /// block, is not evaluated on the remaining ones. This also holds for requests that run on the context's queue, as
  /// those in a context with a parent and counts do. Nothing interrupts a custom incremental store: the request ends when
  /// the store has returned. Has no effect on a request that has completed.
  ///
  /// ```swift
  /// let people = NSFetchRequest<Person>(entityName: "Person")
  /// let request = NSAsynchronousFetchRequest(fetchRequest: people) { result in
  ///   print(result.operationError?.localizedDescription ?? "completed")
  /// }
  /// let result = try context.execute(request) as? NSAsynchronousFetchResult<Person>
  /// result?.cancel()
  /// ```
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

  /// Creates an empty result in a new context, for use in tests.
  public override init() {
    fetchRequest = NSAsynchronousFetchRequest()
    super.init()
  }

  /// The results; nil while the request runs and after it failed or was cancelled. Use the objects on the context's
  /// queue.
  open var finalResult: [ResultType]? { resultLock.withLock { lockedResult } }

  func finish(_ results: [ResultType]) { resultLock.withLock { lockedResult = results } }
}
