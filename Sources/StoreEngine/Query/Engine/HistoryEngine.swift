/// An engine that can keep a history of what was saved.
package protocol HistoryEngine: StoreEngine {
  /// Whether the store has a history, as it was opened.
  var keepsHistory: Bool { get }
  /// Runs `body` with one state of the history; nil where the store has none.
  func readHistory<Result>(
    _ cancellation: Cancellation?, _ body: (any HistoryState) throws -> Result
  ) throws -> Result?
  /// Deletes transactions with their changes: those before a number, or those of before a date up to
  /// the first later one. Always the oldest ones, so that what is left is complete.
  ///
  /// - Parameter cancellation: takes all of it back, as long as it is not committed.
  /// - Returns: how many.
  func deleteHistory(before bound: HistoryBound, _ cancellation: Cancellation?) throws -> Int
}

/// One state of a store's history.
package protocol HistoryState {
  /// The number of the last transaction there was, whether or not it is still there.
  func lastNumber() throws -> Int64
  /// Whether all transactions after a number are still there, and the number is one of this history.
  func isComplete(after number: Int64) throws -> Bool
  /// The transactions of a bound, the oldest first.
  ///
  /// - Parameter numbers: those of them that are wanted; nil for all.
  func transactions(
    _ bound: HistoryBound, numbers: [Int64]?, limit: Int?
  ) throws -> [HistoryTransactionRow]
  /// The changes of a bound in the order in which they were written; those of entities that the model
  /// does not know, and of keys that no row can have, are left out.
  ///
  /// - Parameter numbers: the transactions whose changes are wanted; nil for all.
  func changes(_ bound: HistoryBound, numbers: [Int64]?, limit: Int?) throws -> [HistoryChangeRow]
}

extension HistoryEngine {
  /// The number of the last transaction of the store's history, 0 before the first; nil for a store
  /// without history.
  package func lastTransaction() throws -> Int64? { try readHistory(nil) { try $0.lastNumber() } }
}
