/// Which rows a store is to delete.
struct BatchDeletion {
  /// Which rows; its cancellation ends the request early, without a trace.
  var rows: RowQuery
  /// Asked before it is committed; see ``NSBatchDeleteRequest/beforeCommit``.
  let beforeCommit: ((BatchDeletionFigures) throws -> Void)?
}
