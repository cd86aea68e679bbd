import OrderedCollections
import Synchronization

/// What a reader has not read yet: reports are merged into one until it does.
///
/// Written on the context's queue, read by any task.
final class ReportMailbox: ReportListener, Sendable {
  /// What is there to be read.
  struct Mail: Sendable {
    /// All rows, where the reader knows of none yet.
    var start: FetchedResultsSnapshots.Element?
    /// What happened after that.
    var report: FetchedResultsReport?
  }

  private struct State {
    var mail = Mail()
    var isEnded = false
    /// Whether a snapshot had sections of equal names as one when rows were told last.
    var mayMerge = false
    var number = 0
    var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    /// The readers that were cancelled before they waited.
    var cancelled: Set<Int> = []

    mutating func removeWaiters() -> [Int: CheckedContinuation<Bool, Never>] {
      exchange(&waiters, with: [:])
    }
  }

  private let state = Mutex(State())
  private let wantsStart: Bool

  /// - Parameter wantsStart: whether all rows are given first.
  init(wantsStart: Bool) { self.wantsStart = wantsStart }

  // MARK: Written

  var isEnded: Bool { state.withLock { $0.isEnded } }

  func begin(mayMerge: Bool, _ snapshot: () -> FetchedResultsSnapshots.Element) {
    guard wantsStart else { return }
    state.withLock { $0.mayMerge = mayMerge }
    put(Mail(start: snapshot()))
  }

  func receive(_ report: FetchedResultsReport, in results: LiveResults) {
    if wantsStart {
      // In a snapshot there is one section of a name: what is merged there has other places.
      let mayMerge = results.mayMergeInSnapshots
      let didMerge = state.withLock { exchange(&$0.mayMerge, with: mayMerge) }
      if didMerge || mayMerge { return start(restarting: report, in: results) }
    }
    // Taken out meanwhile, so that the reader and the context's queue do not wait for each other.
    var mail = state.withLock { exchange(&$0.mail, with: Mail()) }
    let merged = mail.report?.changes.merged(with: report.changes, in: results)
    let whole = merged.map(FetchedResultsReport.init) ?? report
    mail.report = whole.isEmpty ? nil : whole
    put(mail)
  }

  /// Gives all rows, those marked as reloaded that changed since they were read last.
  private func start(restarting report: FetchedResultsReport, in results: LiveResults) {
    let unread = state.withLock { $0.mail }
    let marked = (unread.start?.reloadedItemIdentifiers ?? []) + (unread.report?.changedIDs ?? [])
    var snapshot = results.firstSnapshot
    for id in marked + report.changedIDs where snapshot.sectionsOfItems[id] != nil {
      snapshot.reloadedItems.append(id)
    }
    put(Mail(start: snapshot))
  }

  private func put(_ mail: Mail) {
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

  /// Waits until something is there.
  ///
  /// - Returns: false when nothing will come, or the task was cancelled.
  func arrival() async -> Bool {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let hasMail = state.withLock { state -> Bool? in
          if state.cancelled.remove(number) != nil { return false }
          if state.mail.start != nil || state.mail.report != nil { return true }
          if state.isEnded { return false }
          state.waiters[number] = waiter
          return nil
        }
        if let hasMail { waiter.resume(returning: hasMail) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        let waiter = state.waiters.removeValue(forKey: number)
        if waiter == nil { state.cancelled.insert(number) }
        return waiter
      }
      waiter?.resume(returning: false)
    }
  }
}
