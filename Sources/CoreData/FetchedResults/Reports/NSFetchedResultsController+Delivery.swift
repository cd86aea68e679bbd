// A change to the results is delivered to the delegate first, then to observers and readers.

extension NSFetchedResultsController {
  /// The controller with its result type erased, as delegates receive it.
  ///
  /// `NSFetchRequestResult` adds nothing to a class reference, so the two types have the same memory layout.
  var erased: NSFetchedResultsController<any NSFetchRequestResult> {
    unsafeBitCast(self, to: NSFetchedResultsController<any NSFetchRequestResult>.self)
  }

  /// Reports a change to the delegate, the observers and the readers.
  ///
  /// - Parameters:
  ///   - identified: Objects that received permanent IDs. Earlier reports may have used their temporary IDs.
  ///   - notifiesDelegate: Whether to notify the delegate too.
  func deliver(
    _ delta: ResultsDelta, identified: [IdentifiedObject] = [], notifiesDelegate: Bool = true
  ) {
    if reportsIDs { identifyRows(delta.inserted) }
    guard let results else { return }
    // Rows with equal sort values are sorted by ID. The report includes the moves that new permanent IDs caused,
    // because the results already contain them.
    let delta = ResultsDelta([delta] + changeObserver.reordered, in: results)
    changeObserver.reordered = []
    // Changes that the delegate and the observers make are not part of the move.
    let move = shownMove
    shownMove = nil
    // The report is made once, and only if a recipient uses IDs, because it contains an ID for each
    // row of the change.
    var made: FetchedResultsReport?
    func report() -> FetchedResultsReport {
      if let made { return made }
      var changes = delta.byID
      changes.replaceTemporaryIDs(of: identified, in: results)
      let report = FetchedResultsReport(changes)
      made = report
      return report
    }
    if !audience.isEmpty {
      let shown = move.map { move in
        (
          view: move.view,
          rest: FetchedResultsReport(move.remainder(of: delta, for: move.view, in: results).byID)
        )
      }
      // The report is set before the delegate is notified, because the delegate may call `performFetch`,
      // which delivers the report.
      changeObserver.pendingReport = AudienceReport(
        report: report(), shown: shown, addedCount: audience.addedCount)
    }
    whileNotifying {
      if notifiesDelegate, let delegate {
        let rest = move?.remainder(of: delta, for: delegate, in: results) ?? delta
        // A delegate whose view already shows the whole change needs no snapshot.
        if !rest.isEmpty || delta.isEmpty { notify(delegate, of: rest, results, report) }
      }
      deliverPendingReport(in: results)
    }
  }

  /// Passes the fetched rows to a delegate that receives snapshots. Other delegates are not notified of a fetch.
  func notifyDelegateOfFetch(_ results: LiveResults, reloading changed: [NSManagedObjectID]) {
    guard let delegate else { return }
    var forms = DelegateForms(of: delegate)
    let snapshot = NSDiffableDataSourceSnapshotReference {
      results.snapshot(AnyHashable.init, AnyHashable.init, reloading: changed)
    }
    whileNotifying {
      let isImplemented = forms.call(.snapshot) {
        delegate.controller(erased, didChangeContentWith: snapshot)
      }
      if isImplemented { snapshot.make() }
    }
  }

  /// Delivers the pending report to the observers and readers.
  func deliverPendingReport(in results: LiveResults) {
    guard let report = changeObserver.pendingReport else { return }
    changeObserver.pendingReport = nil
    audience.deliver(report, in: results)
  }

  /// Whether the delegate, an observer or a reader receives rows by ID; true if this is not certain.
  var reportsIDs: Bool {
    if !audience.isEmpty { return true }
    if returnsIDs { return delegate != nil }
    guard let forms = delegate.map(DelegateForms.init) else { return false }
    return forms.mayHave(.snapshot) || !hasSectionNames && forms.mayHave(.difference)
  }

  private var hasSectionNames: Bool { sectionNameKeyPath?.isEmpty == false }

  private func notify(
    _ delegate: any NSFetchedResultsControllerDelegate, of delta: ResultsDelta,
    _ results: LiveResults, _ report: () -> FetchedResultsReport
  ) {
    var forms = DelegateForms(of: delegate)
    let controller = erased
    if forms.mayHave(.snapshot) {
      let changed = report().changedIDs
      let snapshot = NSDiffableDataSourceSnapshotReference {
        results.snapshot(AnyHashable.init, AnyHashable.init, reloading: changed)
      }
      let isImplemented = forms.call(.snapshot) {
        delegate.controller(controller, didChangeContentWith: snapshot)
      }
      // The delegate may keep the snapshot, so it is created before the results change again.
      if isImplemented { return snapshot.make() }
    }
    if !hasSectionNames, forms.mayHave(.difference) {
      let difference = report().difference
      let isImplemented = forms.call(.difference) {
        delegate.controller(controller, didChangeContentWith: difference)
      }
      if isImplemented { return }
    }
    if !delta.isEmpty { notifyOfEachChange(delegate, delta, results, &forms) }
  }

  private func notifyOfEachChange(
    _ delegate: any NSFetchedResultsControllerDelegate, _ delta: ResultsDelta,
    _ results: LiveResults, _ forms: inout DelegateForms
  ) {
    let controller = erased
    /// Calls a delegate method for each change, unless the delegate does not implement it.
    func each<Change>(_ changes: [Change], _ form: DelegateForms.Form, _ call: (Change) -> Void) {
      for change in changes where !forms.call(form, { call(change) }) { return }
    }
    func notify(
      _ row: ReportedObject, _ type: NSFetchedResultsChangeType, _ old: ResultPath?,
      _ new: ResultPath?
    ) {
      row.withObject(in: results) { object in
        delegate.controller(
          controller, didChange: returnsIDs ? object.ownID : object, at: old?.indexPath, for: type,
          newIndexPath: new?.indexPath)
      }
    }
    // Look up the removed sections before the delegate reads the current sections.
    let removed = delta.deletedSections.map { ($0, removedSection(named: $0.name, in: results)) }
    // Updates the section objects, so that section objects of removed sections are released even if nothing reads
    // `sections`.
    if !removed.isEmpty { _ = currentSections() }
    delegate.controllerWillChangeContent(controller)
    // Removed sections are reported with their former section objects.
    each(removed, .section) { section, info in
      delegate.controller(controller, didChange: info, atSectionIndex: section.index, for: .delete)
    }
    each(delta.insertedSections, .section) {
      delegate.controller(
        controller,
        didChange: section(named: $0.name, results.ranks(ofSection: $0.index), in: results),
        atSectionIndex: $0.index, for: .insert)
    }
    each(delta.deleted, .row) { notify($0.subject, .delete, $0.path, nil) }
    each(delta.inserted, .row) { notify($0.subject, .insert, nil, $0.path) }
    each(delta.moved, .row) { notify($0.subject, .move, $0.old, $0.new) }
    each(delta.updated, .row) { notify($0.subject, .update, $0.old, $0.new) }
    delegate.controllerDidChangeContent(controller)
  }
}
