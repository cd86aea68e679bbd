import StoreEngine

/// Looks on while a `ChangeWriter` writes, inside its transaction; what it throws takes all back.
///
/// A save that meets conflicts is written more than once, each time with new observers.
protocol WriteObserver: AnyObject {
  /// A row is about to be removed; its values can still be read. It may turn out to be gone already.
  func willDelete(_ row: ChangeSet.Deletion) throws
  /// The row was there, with the expected version, and is removed.
  func didDelete(_ row: ChangeSet.Deletion) throws
  /// A row is about to get new values; the old ones can still be read. It may turn out to have another
  /// version, and then the save is taken back.
  func willUpdate(_ row: ChangeSet.Row) throws
  /// All of a change set is written, and nothing is committed yet.
  func didWrite(_ changes: ChangeSet) throws
}

extension WriteObserver {
  func willDelete(_ row: ChangeSet.Deletion) throws {}
  func didDelete(_ row: ChangeSet.Deletion) throws {}
  func willUpdate(_ row: ChangeSet.Row) throws {}
  func didWrite(_ changes: ChangeSet) throws {}
}
