// The controller processes the context's events one at a time. It queues events that arrive while it notifies the
// delegate or a listener, so that the results match the report until the last listener has received it.

extension HierarchicalResultsController {
  /// Whether the controller has a delegate or a listener.
  var isFollowed: Bool { delegate != nil || !listeners.allSatisfy(\.isEnded) }

  /// Reports missed changes to a new delegate or listener.
  func audienceChanged() {
    catchUp()
    processQueuedEvents()
  }

  func receive(_ event: HierarchyChangeObserver.Event) {
    guard let results else { return }
    guard isFollowed else { return changeObserver.recordMissed(event, in: results) }
    if changeObserver.isNotifying { return changeObserver.enqueue(event, in: results) }
    process(event)
    processQueuedEvents()
  }

  private func processQueuedEvents() {
    while !changeObserver.isNotifying, !changeObserver.queuedEvents.isEmpty {
      process(changeObserver.queuedEvents.removeFirst())
    }
  }

  private func process(_ event: HierarchyChangeObserver.Event) {
    guard let results else { return }
    guard isFollowed, !changeObserver.isBehind else {
      changeObserver.recordMissed(event, in: results)
      return catchUp()
    }
    do {
      deliver(try event.apply(to: results))
    } catch {
      changeObserver.recordMissed(event, in: results)
      Log.contextNotice("cannot update hierarchical results: \(error.localizedDescription)")
    }
  }

  /// Rereads the results if they missed changes.
  private func catchUp() {
    guard isFollowed, changeObserver.isBehind, !changeObserver.isNotifying, results != nil else {
      return
    }
    do {
      // Changes that reading causes are queued.
      let fresh = try changeObserver.whileNotifying { try reread() }
      replaceResults(by: fresh, notifiesDelegate: true)
    } catch {
      Log.contextNotice("cannot update hierarchical results: \(error.localizedDescription)")
    }
  }

  func deliver(_ updates: TableUpdates, notifiesDelegate: Bool = true) {
    if updates.isEmpty { return }
    // Only the current listeners receive the report, because a listener that is added during it
    // starts with the new results.
    changeObserver.pendingDelivery = (updates, listeners[...])
    changeObserver.whileNotifying {
      if notifiesDelegate { delegate?.hierarchicalResults(self, didChangeContentWith: updates) }
      notifyListeners()
    }
  }

  /// Delivers the last report to the listeners that have not received it yet.
  func notifyListeners() {
    while let listener = changeObserver.pendingDelivery.listeners.popFirst() {
      // Another listener may have removed this one during the report.
      if listeners.contains(where: { $0 === listener }) {
        listener.handler(changeObserver.pendingDelivery.updates)
      }
    }
  }
}
