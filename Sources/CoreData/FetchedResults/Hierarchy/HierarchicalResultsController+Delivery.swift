// The context's events are processed one after the other: those that come while the delegate or a listener is
// notified are queued, so that the results are as the report says until the last listener has received it.

extension HierarchicalResultsController {
  /// Whether there is a delegate or a listener.
  var isFollowed: Bool { delegate != nil || !listeners.allSatisfy(\.isOver) }

  /// Delivers what was missed to a delegate or listener that is new.
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
      Log.contextNotice("hierarchical results: \(error.localizedDescription)")
    }
  }

  /// Reads the results again where changes are missing in them.
  private func catchUp() {
    guard isFollowed, changeObserver.isBehind, !changeObserver.isNotifying, results != nil else {
      return
    }
    do {
      // What reading brings about waits.
      let fresh = try changeObserver.whileNotifying { try reread() }
      replaceResults(by: fresh, notifiesDelegate: true)
    } catch {
      Log.contextNotice("hierarchical results: \(error.localizedDescription)")
    }
  }

  func deliver(_ updates: TableUpdates, notifiesDelegate: Bool = true) {
    if updates.isEmpty { return }
    changeObserver.pendingDelivery = (updates, listeners[...])
    changeObserver.whileNotifying {
      if notifiesDelegate { delegate?.hierarchicalResults(self, didChangeContentWith: updates) }
      notifyListeners()
    }
  }

  /// Delivers the last report to the listeners that have not received it yet.
  func notifyListeners() {
    while let listener = changeObserver.pendingDelivery.listeners.popFirst() {
      if listeners.contains(where: { $0 === listener }) {
        listener.handler(changeObserver.pendingDelivery.updates)
      }
    }
  }
}
