import Synchronization

/// An observer of a fetched results controller, until it is cancelled or let go of.
public final class FetchedResultsObservation: ReportListener, Sendable {
  private let body: Mutex<Body?>

  /// Called on the queue of the controller's context alone.
  private struct Body: @unchecked Sendable {
    let run: (FetchedResultsReport) -> Void
  }

  init(_ run: @escaping (FetchedResultsReport) -> Void) {
    body = Mutex(Body(run: run))
  }

  /// Ends it. On the context's queue nothing is told from here on; elsewhere, a report that is being told
  /// may still come.
  public func cancel() { body.withLock { $0 = nil } }

  var isEnded: Bool { body.withLock { $0 == nil } }

  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {}

  func receive(_ report: FetchedResultsReport, in results: LiveResults) {
    body.withLock { $0 }?.run(report)
  }

  func end() { cancel() }
}
