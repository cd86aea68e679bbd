import OrderedCollections
import Synchronization

/// Holds the rows and changes that a reader has not read yet, and merges new reports into the unread one.
///
/// The context's queue writes to it, and any task may read from it.
final class ReportMailbox: ReportListener, Sendable {
  /// The unread content.
  struct Mail: Sendable {
    /// All rows, if the reader has not received any yet.
    var start: FetchedResultsSnapshots.Element?
    /// The unread changes, or nil if there are none. If `start` is set, these changes followed it.
    var report: FetchedResultsReport?
  }

  private struct State {
    var mail = Mail()
    var isEnded = false
    /// Whether a snapshot of the last reported rows may have merged sections with equal names.
    var mayMerge = false
    var number = 0
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]

    mutating func removeWaiters() -> [Int: CheckedContinuation<Bool, Never>] {
      exchange(&waiters, with: [:])
    }
  }

  private let state = Mutex(State())
  private let wantsStart: Bool

  /// - Parameter wantsStart: Whether the reader receives all rows first.
  init(wantsStart: Bool) { self.wantsStart = wantsStart }

  // MARK: Written

  var isEnded: Bool { state.withLock { $0.isEnded } }

  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {
    guard wantsStart else { return }
    state.withLock { $0.mayMerge = mayMerge }
    store(Mail(start: snapshot()))
  }

  func receive(_ report: FetchedResultsReport, in results: LiveResults) {
    if wantsStart {
      // A snapshot merges sections with equal names, so positions of the report differ from those in the snapshot.
      let mayMerge = results.mayMergeInSnapshots
      let didMerge = state.withLock { exchange(&$0.mayMerge, with: mayMerge) }
      if didMerge || mayMerge { return start(restarting: report, in: results) }
    }
    // Removes the mail while merging, so that the reader and the context's queue do not wait for each other.
    var mail = state.withLock { exchange(&$0.mail, with: Mail()) }
    let merged = mail.report?.changes.merged(with: report.changes, in: results)
    let whole = merged.map(FetchedResultsReport.init) ?? report
    mail.report = whole.isEmpty ? nil : whole
    store(mail)
  }

  /// Stores a snapshot of all rows. Rows that changed since the reader's last snapshot are marked as reloaded.
  private func start(restarting report: FetchedResultsReport, in results: LiveResults) {
    let unread = state.withLock { $0.mail }
    let marked = (unread.start?.reloadedItemIdentifiers ?? []) + (unread.report?.changedIDs ?? [])
    var snapshot = results.firstSnapshot
    for id in marked + report.changedIDs where snapshot.sectionsOfItems[id] != nil {
      snapshot.reloadedItems.append(id)
    }
    store(Mail(start: snapshot))
  }

  private func store(_ mail: Mail) {
    let waiters = state.withLock { state in
      state.mail = mail
      return mail.start == nil && mail.report == nil ? [:] : state.removeWaiters()
    }
    for waiter in waiters.values { waiter.resume(returning: true) }
  }

  func end() {
    let waiters = state.withLock { state in
      state.isEnded = true
      return state.removeWaiters()
    }
    for waiter in waiters.values { waiter.resume(returning: true) }
  }

  // MARK: Read

  /// Removes the unread mail and returns it; nil when there is none.
  func dequeue() -> Mail? {
    state.withLock { state in
      if state.mail.start == nil && state.mail.report == nil { return nil }
      return exchange(&state.mail, with: Mail())
    }
  }

  /// Waits for unread mail.
  ///
  /// - Returns: False if no more mail will arrive, or if the task was cancelled. After `end()`, the result may be true
  ///   although there is no mail; the next call then returns false.
  func waitForMail() async -> Bool {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let hasMail = state.withLock { state -> Bool? in
          // `onCancel` finds the waiter if the task is cancelled after this check, because the task is marked as
          // cancelled before `onCancel` runs.
          if Task.isCancelled { return false }
          // Checked before `isEnded`, so that a reader still receives mail that arrived before the end.
          if state.mail.start != nil || state.mail.report != nil { return true }
          if state.isEnded { return false }
          state.waiters[number] = waiter
          return nil
        }
        if let hasMail { waiter.resume(returning: hasMail) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: false)
    }
  }
}
