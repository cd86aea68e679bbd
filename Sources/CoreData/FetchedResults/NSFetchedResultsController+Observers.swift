// Besides its delegate, a controller can have any number of observers and of sequences of reports or snapshots. It
// follows its context as long as it has any of these or a delegate. Call these methods on the context's queue.

extension NSFetchedResultsController {
  /// Calls a closure with a report of each change to the results, on the context's queue, after the delegate.
  ///
  /// ```swift
  /// let observation = controller.addObserver { report in tableView.apply(report.tableUpdates) }
  /// ```
  ///
  /// New objects receive their permanent IDs before they are reported. Changes that an observer makes in the context
  /// are reported afterwards. A later `performFetch()` is reported as a change.
  ///
  /// Compared to Apple's Core Data: new; there a controller notifies only its delegate.
  ///
  /// - Parameter observer: The closure.
  /// - Returns: The observation. Keep it: the controller stops calling the closure when the observation is cancelled
  ///   or deallocated. The observation does not retain the controller.
  public func addObserver(
    _ observer: @escaping (FetchedResultsReport) -> Void
  ) -> FetchedResultsObservation {
    let observation = FetchedResultsObservation(observer)
    join(observation)
    return observation
  }

  /// A sequence of reports of all changes from now on, which any task may iterate. Each access returns a new sequence.
  ///
  /// Reports that have not been read are merged into one: see `FetchedResultsReports`.
  ///
  /// ```swift
  /// let reports = controller.reports
  /// Task { for await report in reports { print(report.tableUpdates.insertedRows) } }
  /// ```
  ///
  /// Compared to Apple's Core Data: new.
  public var reports: FetchedResultsReports {
    let mailbox = ReportMailbox(wantsStart: false)
    join(mailbox)
    return FetchedResultsReports(mailbox: mailbox)
  }

  /// A sequence of snapshots, which any task may iterate: the current rows, followed by the rows after each change.
  /// Each access returns a new sequence. See `FetchedResultsSnapshots`.
  ///
  /// ```swift
  /// let snapshots = controller.snapshots
  /// Task { for await snapshot in snapshots { print(snapshot.numberOfItems) } }
  /// ```
  ///
  /// Compared to Apple's Core Data: new.
  public var snapshots: FetchedResultsSnapshots {
    let mailbox = ReportMailbox(wantsStart: true)
    join(mailbox)
    catchUp()
    if let results {
      mailbox.begin(mayMerge: results.mayMergeInSnapshots) { results.firstSnapshot }
    }
    return FetchedResultsSnapshots(buffer: SnapshotBuffer(mailbox: mailbox))
  }

  private func join(_ listener: any ReportListener) {
    audience.add(listener)
    audienceChanged()
    identifyRows()
    // The new IDs have moved rows, so other observers need a report even though no object changed.
    if !changeObserver.reordered.isEmpty, changeObserver.activity == .none {
      deliver(ResultsDelta())
    }
  }
}
