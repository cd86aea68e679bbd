/// Which rows a store is to delete.
package struct BatchDeletion {
  /// Which rows; its cancellation ends the request early, without a trace.
  package var rows: RowQuery
  /// Asked before it is committed; see ``NSBatchDeleteRequest/beforeCommit``.
  package let beforeCommit: ((BatchDeletionFigures) throws -> Void)?

  package init(rows: RowQuery, beforeCommit: ((BatchDeletionFigures) throws -> Void)?) {
    self.rows = rows
    self.beforeCommit = beforeCommit
  }
}
