/// What transactions of a store's history did, all together: a row is in one list at most.
package struct HistoryNews {
  /// The last transaction that counts; the next question begins after it.
  package var last: Int64
  /// Whether history tells all: false where some of the transactions have been deleted already. Then
  /// the lists are empty.
  package var isComplete = true
  package var rows = BatchOutcome()

  package init(last: Int64, isComplete: Bool = true, rows: BatchOutcome = BatchOutcome()) {
    self.last = last
    self.isComplete = isComplete
    self.rows = rows
  }
}
