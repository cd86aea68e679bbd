/// What transactions of a store's history did, all together: a row is in one list at most.
struct HistoryNews {
  /// The last transaction that counts; the next question begins after it.
  var last: Int64
  /// Whether history tells all: false where some of the transactions have been deleted already. Then
  /// the lists are empty.
  var isComplete = true
  var rows = BatchOutcome()
}
