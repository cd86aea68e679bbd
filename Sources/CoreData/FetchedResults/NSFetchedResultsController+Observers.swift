// Any number of observers and readers beside the delegate, each of whom has the controller follow its
// context. To be called on the context's queue.

extension NSFetchedResultsController {
  /// Tells of each change of the results, after the delegate was told, on the context's queue.
  ///
  /// ```swift
  /// let observation = controller.addObserver { report in tableView.apply(report.tableUpdates) }
  /// ```
  ///
  /// New objects get their permanent IDs before they are told of. What an observer changes in the context is
  /// told afterwards. A later `performFetch` is told as a change.
  ///
  /// Compared to Apple's Core Data: new; there a controller has its delegate only.
  ///
  /// - Returns: what keeps the observer: it ends when this is let go of or cancelled. It does not keep
  ///   the controller.
  public func addObserver(
    _ observer: @escaping (FetchedResultsReport) -> Void
  ) -> FetchedResultsObservation {
    let observation = FetchedResultsObservation(observer)
    join(observation)
    return observation
  }

  /// The reports of all changes from now on, as a sequence that any task may read; a sequence of its own
  /// for each who asks. Reports that are not read are merged into one: see `FetchedResultsReports`.
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

  /// The present rows and then those after each change, as a sequence that any task may read; a sequence
  /// of its own for each who asks. See `FetchedResultsSnapshots`.
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
    if !changeObserver.reordered.isEmpty, changeObserver.activity == .none {
      deliver(ResultsDelta())
    }
  }
}
