/// The reports of a fetched results controller, one after the other, for any task.
///
/// A reader that is slower than the changes is given fewer reports: what it has not read is merged into
/// one, the least that leads from the rows that it knows to the present ones. So there is never more than
/// one report waiting; a change costs a reader that lags O(k log k) for the k rows named by what waits.
///
/// It ends when the controller is let go of, and for a task that is cancelled. The controller is not kept
/// by it. One task at a time reads it: each further reader asks the controller for a sequence of its own.
public struct FetchedResultsReports: AsyncSequence, Sendable {
  /// What changed, in one report.
  public typealias Element = FetchedResultsReport

  let mailbox: ReportMailbox

  /// Reads from where the last reader of this sequence ended.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }

  /// Gives one report after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: ReportMailbox

    /// The next report, which is not empty; nil when there is none to come.
    public func next() async -> FetchedResultsReport? {
      while !Task.isCancelled {
        if let report = mailbox.dequeue()?.report { return report }
        if await !mailbox.arrival() { return nil }
      }
      return nil
    }
  }
}
