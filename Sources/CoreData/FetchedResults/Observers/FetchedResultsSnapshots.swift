import Synchronization

/// An asynchronous sequence of snapshots of a fetched results controller: section names and object IDs, first as they
/// are now and then after each change.
///
/// The first snapshot is available immediately, or after the first fetch. In later snapshots, changed and moved rows
/// are marked as reloaded. A reader that is slower than the changes receives the current rows, and all rows that
/// changed since its last snapshot are marked. The context's queue creates the first snapshot, and the reading task
/// creates most of the later ones.
///
/// Snapshots contain no temporary IDs: new objects receive permanent IDs when they are first reported. If a store
/// cannot assign an ID yet, the object is left out until it is saved.
///
/// The sequence ends when the controller is deallocated, or when the reading task is cancelled. It does not retain the
/// controller. Only one task at a time can read a sequence: get another sequence from the controller for each reader.
///
/// ```swift
/// try controller.performFetch()
/// for await snapshot in controller.snapshots {
///   print(snapshot.sectionIdentifiers)  // ["", "Blue", "Red"]
///   break
/// }
/// ```
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
  /// A snapshot of the sections and rows.
  public typealias Element = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>

  let buffer: SnapshotBuffer

  /// Returns an iterator that continues after the last snapshot that was read from this sequence.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: buffer) }

  /// An iterator over the snapshots.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let buffer: SnapshotBuffer

    /// Returns the next snapshot; nil after the sequence has ended.
    public func next() async -> Element? {
      while !Task.isCancelled {
        if let snapshot = buffer.next() { return snapshot }
        if await !buffer.mailbox.waitForMail() { return nil }
      }
      return nil
    }
  }
}

/// Creates snapshots from the first snapshot and the reports that follow it.
final class SnapshotBuffer: Sendable {
  let mailbox: ReportMailbox
  /// The last snapshot, including rows with temporary IDs.
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
