/// An engine that can record a history of saves.
package protocol HistoryEngine: StoreEngine {
  /// Whether the store was opened with history tracking.
  var keepsHistory: Bool { get }
  /// Returns the result of `body` for a consistent state of the history; nil if the store has no history.
  func readHistory<Result>(
    _ cancellation: Cancellation?, _ body: (any HistoryState) throws -> Result
  ) throws -> Result?
  /// Deletes the oldest transactions and their changes, so the remaining transactions have no gaps.
  ///
  /// - Parameters:
  ///   - bound: `.after(n)` deletes the transactions before the number `n`, `.afterDate` those before the first
  ///     transaction that is not earlier than the date, and `.all` all.
  ///   - cancellation: Rolls the deletion back if it is cancelled before the commit.
  /// - Returns: The number of deleted transactions.
  func deleteHistory(before bound: HistoryBound, _ cancellation: Cancellation?) throws -> Int
}

/// A consistent state of a store's history.
package protocol HistoryState {
  /// Returns the number of the last transaction, even if it was deleted.
  func lastNumber() throws -> Int64
  /// Returns whether a number belongs to this history, and no transaction after it was deleted.
  func isComplete(after number: Int64) throws -> Bool
  /// Returns a slice of the transactions within a bound.
  ///
  /// - Parameter numbers: The numbers of the requested transactions; nil for all.
  func transactions(
    _ bound: HistoryBound, numbers: [Int64]?, _ slice: HistorySlice
  ) throws -> [HistoryTransactionRow]
  /// Returns the changes within a bound in the order in which they were written. Omits changes of entities that are not
  /// in the model, changes with a key that no row can have, and changes without a transaction.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the requested transactions, which exist; nil for all.
  ///   - limit: The maximum number of changes to return, not counting omitted ones; nil for all.
  func changes(_ bound: HistoryBound, numbers: [Int64]?, limit: Int?) throws -> [HistoryChangeRow]
}

extension HistoryEngine {
  /// Returns the number of the last transaction in the store's history, 0 before the first one; nil for a store
  /// without history.
  package func lastTransaction() throws -> Int64? { try readHistory(nil) { try $0.lastNumber() } }
}
