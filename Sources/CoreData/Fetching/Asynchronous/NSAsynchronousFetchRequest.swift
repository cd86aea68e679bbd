/// A fetch that reads in the background, so that the context's queue is free meanwhile.
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
  /// What is fetched. Do not change it while the fetch runs.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// Called on the context's queue when the results are there, or the fetch failed or was cancelled.
  public let completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)?
  /// How many results are expected, for the progress; 0 when that is not known.
  open var estimatedResultCount = 0

  /// Makes a request.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    completionBlock = blk
    super.init()
  }

  /// Makes a request of a fetch without an entity. It cannot be executed.
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

  /// The results come on the context's queue, so a context is asked for them.
  func coordinatorResult(in context: NSManagedObjectContext) throws -> Any {
    throw NSPersistentStoreCoordinator.cannotExecute(self)
  }
}
