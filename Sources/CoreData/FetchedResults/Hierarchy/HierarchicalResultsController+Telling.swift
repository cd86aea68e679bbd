import Foundation

// What the context says, one thing after the other: what happens while somebody is told waits, so that the
// results are as the report says until the last one was told.

extension HierarchicalResultsController {
  /// Whether anybody wants to know of changes.
  var isFollowed: Bool { delegate != nil || !listeners.allSatisfy(\.isOver) }

  /// Somebody came to be told: of what was missed, too.
  func audienceChanged() {
    catchUp()
    takeWaiting()
  }

  func hear(_ event: HierarchyHearing.Event) {
    guard let results else { return }
    guard isFollowed else { return hearing.miss(event, in: results) }
    if hearing.isTelling { return hearing.keep(event, in: results) }
    take(event)
    takeWaiting()
  }

  private func takeWaiting() {
    while !hearing.isTelling, !hearing.waiting.isEmpty { take(hearing.waiting.removeFirst()) }
  }

  private func take(_ event: HierarchyHearing.Event) {
    guard let results else { return }
    guard isFollowed, !hearing.isBehind else {
      hearing.miss(event, in: results)
      return catchUp()
    }
    do {
      tell(try event.apply(to: results))
    } catch {
      hearing.miss(event, in: results)
      Log.contextNotice("hierarchical results: \(error.localizedDescription)")
    }
  }

  /// Reads anew, where changes were not taken in.
  private func catchUp() {
    guard isFollowed, hearing.isBehind, !hearing.isTelling, results != nil else { return }
    do {
      // What reading brings about waits.
      let fresh = try hearing.telling { try reread() }
      replaceResults(by: fresh, tellsDelegate: true)
    } catch {
      Log.contextNotice("hierarchical results: \(error.localizedDescription)")
    }
  }

  func tell(_ updates: TableUpdates, tellsDelegate: Bool = true) {
    if updates.isEmpty { return }
    hearing.untold = (updates, listeners[...])
    hearing.telling {
      if tellsDelegate { delegate?.hierarchicalResults(self, didChangeContentWith: updates) }
      tellListeners()
    }
  }

  /// Tells those who were not told of the last change yet.
  func tellListeners() {
    while let listener = hearing.untold.listeners.popFirst() {
      if listeners.contains(where: { $0 === listener }) { listener.told(hearing.untold.updates) }
    }
  }
}
