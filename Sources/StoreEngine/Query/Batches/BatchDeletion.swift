/// The rows that a batch deletion deletes.
package struct BatchDeletion {
  /// The rows. Cancelling this query rolls the request back.
  package var rows: RowQuery
  /// Called before the deletion is committed; see ``NSBatchDeleteRequest/beforeCommit``.
  package let beforeCommit: ((BatchDeletionFigures) throws -> Void)?

  package init(rows: RowQuery, beforeCommit: ((BatchDeletionFigures) throws -> Void)?) {
    self.rows = rows
    self.beforeCommit = beforeCommit
  }
}
