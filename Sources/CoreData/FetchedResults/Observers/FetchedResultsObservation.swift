import Synchronization

/// An observation of a fetched results controller. It ends when it is cancelled or deallocated.
///
/// ```swift
/// let observation = controller.addObserver { report in
///   print(report.insertedRows.count, report.deletedRows.count)
/// }
/// try controller.performFetch()
/// observation.cancel()
/// ```
public final class FetchedResultsObservation: ReportListener, Sendable {
  private let body: Mutex<Body?>

  /// Called only on the queue of the controller's context.
  private struct Body: @unchecked Sendable {
    let run: (FetchedResultsReport) -> Void
  }

  init(_ run: @escaping (FetchedResultsReport) -> Void) {
    body = Mutex(Body(run: run))
  }

  /// Ends the observation. If called on the context's queue, the observer is not called again. If called on another
  /// thread, a call that is about to begin or in progress may still complete.
  public func cancel() { body.withLock { $0 = nil } }

  var isEnded: Bool { body.withLock { $0 == nil } }

  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {}

  func receive(_ report: FetchedResultsReport, in results: LiveResults) {
    // Runs outside of the lock, so that the observer can cancel its observation.
    body.withLock { $0 }?.run(report)
  }

  func end() { cancel() }
}
