import Synchronization

/// The sections and rows of a fetched results controller by their names and IDs, as they were, and then each
/// time they changed, for any task.
///
/// The first snapshot is there at once, or as soon as results were fetched. In the others, rows that changed
/// or moved are marked as reloaded. A reader that is slower than the changes is given the present rows, all
/// that changed since its last snapshot marked. A snapshot is made of the one before by the task that reads,
/// not by the context's queue.
///
/// No temporary ID is in a snapshot: new objects get their permanent ones when they are first told of. One
/// whose store cannot give it one yet is left out until it is saved.
///
/// It ends when the controller is let go of, and for a task that is cancelled. The controller is not kept
/// by it. One task at a time reads it: each further reader asks the controller for a sequence of its own.
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
  /// The rows at one moment.
  public typealias Element = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  let buffer: SnapshotBuffer

  /// Reads from where the last reader of this sequence ended.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }

  /// Gives one snapshot after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let buffer: SnapshotBuffer

    /// The next snapshot; nil when there is none to come.
    public func next() async -> Element? {
      while !Task.isCancelled {
        if let snapshot = buffer.next() { return snapshot }
        if await !buffer.mailbox.arrival() { return nil }
      }
      return nil
    }
  }
}

/// Makes snapshots of the first one and the reports after it.
final class SnapshotBuffer: Sendable {
  let mailbox: ReportMailbox
  /// What was read last, rows with temporary IDs among it.
  private let last = Mutex<FetchedResultsSnapshots.Element?>(nil)

  init(mailbox: ReportMailbox) { self.mailbox = mailbox }

  func next() -> FetchedResultsSnapshots.Element? {
    last.withLock { last in
      guard let mail = mailbox.dequeue() else { return nil }
      var snapshot = mail.start ?? last ?? FetchedResultsSnapshots.Element()
      if let report = mail.report { snapshot.apply(report) }
      last = snapshot
      return snapshot.withoutTemporaryIDs()
    }
  }
}
