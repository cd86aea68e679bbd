/// The rows, in memory, of a store that is read and written as a whole. Requests have the same results as in a
/// database.
package protocol RowStorage: StoreEngine {
  /// Fills the empty storage with the rows of a file.
  func load(_ changes: ChangeSet, from url: URL?) throws
  /// Saves changes, and calls `beforeCommit` when everything is written. If that throws an error, rolls the save
  /// back.
  func save(
    _ changes: inout ChangeSet, note: SaveNote, beforeCommit: () throws -> Void
  ) throws -> SaveOutcome
  /// Runs `body` while no save can run.
  func withoutSaves(_ body: () throws -> Void) throws
}
