/// Rows in memory, which a store that is read and written as a whole has beside its file: so every request means the
/// same as in a database.
package protocol RowStorage: StoreEngine {
  /// Fills the storage, which is empty, with the rows of a file.
  func load(_ changes: ChangeSet, from url: URL?) throws
  /// Saves, and calls `beforeCommit` when everything is written: what it throws takes all back.
  func save(
    _ changes: inout ChangeSet, note: SaveNote, beforeCommit: () throws -> Void
  ) throws -> SaveOutcome
  /// Runs `body` while nobody else saves.
  func withoutSaves(_ body: () throws -> Void) throws
}
