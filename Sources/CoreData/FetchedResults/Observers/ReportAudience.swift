/// The observers and readers of a controller, held weakly. Used only on the context's queue.
final class ReportAudience {
  private var listeners: [Entry] = []
  /// The number of listeners that have been added so far.
  private(set) var addedCount = 0

  private struct Entry {
    weak var listener: (any ReportListener)?
    /// The number of listeners that were added before this one.
    let number: Int
  }

  deinit {
    // Tasks that wait for a report would otherwise wait forever.
    for entry in listeners { entry.listener?.end() }
  }

  /// Whether there are no listeners.
  var isEmpty: Bool {
    if !listeners.isEmpty { listeners.removeAll { $0.listener?.isEnded ?? true } }
    return listeners.isEmpty
  }

  func add(_ listener: any ReportListener) {
    listeners.append(Entry(listener: listener, number: addedCount))
    addedCount += 1
  }

  /// Passes the results of the first fetch to the listeners.
  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {
    var made: FetchedResultsSnapshots.Element?
    for listener in listeners.compactMap(\.listener) {
      listener.begin(mayMerge: mayMerge) {
        // A snapshot costs O(n). It is made once, and only if a listener needs it.
        let known = made ?? snapshot()
        made = known
        return known
      }
    }
  }

  func deliver(_ report: AudienceReport, in results: LiveResults) {
    let present = listeners.filter { $0.number < report.addedCount }
    for listener in present.compactMap(\.listener) {
      let report = report.report(for: listener)
      if !report.isEmpty { listener.receive(report, in: results) }
    }
  }
}

/// A report for the observers and readers.
struct AudienceReport {
  let report: FetchedResultsReport
  /// A view that already shows part of the report, and the rest of the report; nil if there is no such view.
  let shown: (view: AnyObject, rest: FetchedResultsReport)?
  /// The number of listeners that had been added when the change occurred. A listener that is added while the report
  /// is being delivered starts with the results after this change.
  let addedCount: Int

  func report(for listener: any ReportListener) -> FetchedResultsReport {
    if let shown, shown.view === listener { shown.rest } else { report }
  }
}

/// Receives a controller's reports on its context's queue. It may end and be deallocated on any thread.
protocol ReportListener: AnyObject {
  /// Whether the listener needs no more reports.
  var isEnded: Bool { get }
  /// Called after the results were fetched for the first time.
  ///
  /// - Parameter mayMerge: Whether a snapshot may merge sections with equal names.
  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element)
  /// Called with each report.
  ///
  /// - Parameter results: The results after the report.
  func receive(_ report: FetchedResultsReport, in results: LiveResults)
  /// Called when the controller is deallocated.
  func end()
}
