/// A fetch that reads in the background, without blocking the context's queue.
///
/// Some requests run on the context's queue after `execute(_:)` has returned, because they need the context while they
/// read: those in a context with a parent, those to a custom incremental store, counts, and those whose predicate a
/// database cannot evaluate, such as a block. A request that exceeds a limit of the database, or during which the
/// context saves or merges changes again and again, finally runs on that queue, too.
///
/// ```swift
/// let people = NSFetchRequest<Person>(entityName: "Person")
/// let request = NSAsynchronousFetchRequest(fetchRequest: people) { result in
///   print(result.finalResult?.count ?? 0, result.operationError as Any)
/// }
/// let result = try context.execute(request) as? NSAsynchronousFetchResult<Person>
/// result?.progress?.cancel()
/// ```
nonisolated open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>:
  NSPersistentStoreRequest, @unchecked Sendable
{
  /// The request to execute. Do not change it while the fetch runs.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// Called on the context's queue when the fetch has completed, failed or been cancelled.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
  /// The expected number of results, which the progress uses as its total; 0 if it is unknown.
  ///
  /// ```swift
  /// let people = NSFetchRequest<Person>(entityName: "Person")
  /// let request = NSAsynchronousFetchRequest(fetchRequest: people)
  /// request.estimatedResultCount = try context.count(for: people)
  /// ```
  open var estimatedResultCount = 0

  /// Creates a request.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    completionBlock = blk
    super.init()
  }

  /// Creates a request whose ``fetchRequest`` has no entity, so that it cannot be executed.
  public override init() {
    fetchRequest = NSFetchRequest()
    completionBlock = nil
    super.init()
  }
}

extension NSAsynchronousFetchRequest: StoreRequestExecutable {
  func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    try AsynchronousFetch(self, in: context).start()
  }

  /// Throws an error: only a context can execute this request.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    // The results are delivered on a context's queue.
    throw NSPersistentStoreCoordinator.cannotExecute(self)
  }
}
