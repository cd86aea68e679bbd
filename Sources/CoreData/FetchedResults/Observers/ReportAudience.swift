/// The receivers of a controller's reports besides its delegate, held weakly. On the context's queue.
final class ReportAudience {
  private var listeners: [Entry] = []
  /// How many have ever come.
  private(set) var arrivals = 0

  private struct Entry {
    weak var listener: (any ReportListener)?
    /// How many came before.
    let number: Int
  }

  deinit {
    for entry in listeners { entry.listener?.end() }
  }

  /// Whether nobody listens any more.
  var isEmpty: Bool {
    if !listeners.isEmpty { listeners.removeAll { $0.listener?.isEnded ?? true } }
    return listeners.isEmpty
  }

  func add(_ listener: any ReportListener) {
    listeners.append(Entry(listener: listener, number: arrivals))
    arrivals += 1
  }

  /// The results are there for the first time.
  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {
    var made: FetchedResultsSnapshots.Element?
    for listener in listeners.compactMap(\.listener) {
      listener.begin(mayMerge: mayMerge) {
        let known = made ?? snapshot()
        made = known
        return known
      }
    }
  }

  func deliver(_ report: AudienceReport, in results: LiveResults) {
    let present = listeners.filter { $0.number < report.arrivals }
    for listener in present.compactMap(\.listener) {
      let report = report.report(for: listener)
      if !report.isEmpty { listener.receive(report, in: results) }
    }
  }
}

/// A report for the audience.
struct AudienceReport {
  let report: FetchedResultsReport
  /// Who shows a part of it already, and what is left.
  let shown: (view: AnyObject, rest: FetchedResultsReport)?
  /// How many had come when it happened: a listener that joins while the report is delivered begins with the results
  /// as they are after it.
  let arrivals: Int

  func report(for listener: any ReportListener) -> FetchedResultsReport {
    if let shown, shown.view === listener { shown.rest } else { report }
  }
}

/// Receives a controller's reports on its context's queue; may be released, and end, on any thread.
protocol ReportListener: AnyObject {
  /// Whether it needs no more reports.
  var isEnded: Bool { get }
  /// The results are there for the first time.
  ///
  /// - Parameter mayMerge: whether a snapshot may have sections of equal names as one.
  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element)
  /// - Parameter results: as they are after the report.
  func receive(_ report: FetchedResultsReport, in results: LiveResults)
  /// The controller is gone.
  func end()
}
