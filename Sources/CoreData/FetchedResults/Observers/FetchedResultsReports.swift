/// An asynchronous sequence of the reports of a fetched results controller.
///
/// A reader that is slower than the changes receives fewer reports: unread reports are merged into the smallest
/// report that leads from the rows the reader knows to the current rows. So at most one report is waiting. For a slow
/// reader, each change costs O(k log k) for the k rows in the waiting report.
///
/// The sequence ends when the controller is deallocated, or when the reading task is cancelled. It does not retain the
/// controller. Only one task at a time can read a sequence: get another sequence from the controller for each reader.
///
/// ```swift
/// let reports = controller.reports
/// let reader = Task {
///   for await report in reports { print(report.updatedRows.map(\.newIndexPath)) }
/// }
/// reader.cancel()  // ends the sequence
/// ```
public struct FetchedResultsReports: AsyncSequence, Sendable {
  /// A report of one or more changes.
  public typealias Element = FetchedResultsReport

  let mailbox: ReportMailbox

  /// Returns an iterator that continues after the last report that was read from this sequence.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }

  /// An iterator over the reports.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let mailbox: ReportMailbox

    /// Returns the next report, which is never empty; nil after the sequence has ended.
    public func next() async -> FetchedResultsReport? {
      while !Task.isCancelled {
        if let report = mailbox.dequeue()?.report { return report }
        if await !mailbox.waitForMail() { return nil }
      }
      return nil
    }
  }
}
