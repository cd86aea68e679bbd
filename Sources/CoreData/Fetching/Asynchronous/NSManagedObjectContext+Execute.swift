extension NSManagedObjectContext {
  func run(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    requireQueue()
    if let request = request as? any StoreRequestExecutable { return try request.result(in: self) }
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      request is NSSaveChangesRequest
        ? "a context cannot execute a save request: call save()"
        : "a context cannot execute a \(Swift.type(of: request))")
  }

  /// Returns the results of an asynchronous fetch. Most requests do not block the context's queue while the stores are
  /// read: see ``NSAsynchronousFetchRequest``. Cancelling the task cancels the fetch.
  ///
  /// Compared to Apple's Core Data: new. The request's completion block is called too, unless the request is invalid.
  ///
  /// - Throws: The errors of the context's method `fetch(_:)` for fetch requests; `CocoaError.userCancelled` after a
  ///   cancellation.
  ///
  /// ```swift
  /// let request = NSAsynchronousFetchRequest(fetchRequest: Person.fetchRequest())
  /// let people = try await context.fetch(request)
  /// ```
  public func fetch<T>(_ request: NSAsynchronousFetchRequest<T>) async throws -> [T] {
    let waiting = CancellationBox()
    let results: FetchedBatch<T> = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // A request's completion block cannot be replaced, so a second request runs the fetch and calls the block.
        let own = NSAsynchronousFetchRequest(fetchRequest: request.fetchRequest) { result in
          request.completionBlock?(result)
          if let error = result.operationError {
            continuation.resume(throwing: error)
          } else {
            continuation.resume(returning: FetchedBatch(values: result.finalResult ?? []))
          }
        }
        own.affectedStores = request.affectedStores
        own.estimatedResultCount = request.estimatedResultCount
        perform { [self] in
          do {
            let result = try execute(own) as? NSPersistentStoreAsynchronousResult
            waiting.attach(result?.progress)
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      waiting.cancel()
    }
    return results.values
  }
}

/// Carries results from the context's queue to the task that waits for them.
private struct FetchedBatch<Value>: @unchecked Sendable { let values: [Value] }

/// Cancels a progress that may not exist yet.
private final class CancellationBox: @unchecked Sendable {
  private let lock = NSLock()
  private var progress: Progress?
  private var isCancelled = false

  func attach(_ progress: Progress?) {
    let cancels = lock.withLock {
      self.progress = progress
      return isCancelled
    }
    // The progress is cancelled outside the lock, because cancelling calls its handler.
    if cancels { progress?.cancel() }
  }

  func cancel() {
    let progress = lock.withLock {
      isCancelled = true
      return self.progress
    }
    progress?.cancel()
  }
}
