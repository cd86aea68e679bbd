/// The rows that left live results while the context had no objects of them. A fault of a row that is gone must not be
/// reported, because reading it would record a deletion in the context.
final class DepartedRows {
  private var entries: [ResultEntry] = []
  /// The rows that still exist; nil until a delegate needs an object.
  private var present: Set<RowKey>?

  func insert(_ entry: ResultEntry) { entries.append(entry) }

  /// Returns whether a row is gone from the context's source. The first call executes one query for each table.
  func isGone(_ entry: ResultEntry, in context: NSManagedObjectContext) -> Bool {
    let present = self.present ?? findPresent(in: context)
    self.present = present
    return !present.contains(entry.rowKey)
  }

  private func findPresent(in context: NSManagedObjectContext) -> Set<RowKey> {
    do {
      return try context.sourceRows(among: entries.map(\.id))
    } catch {
      // Reading the objects reports the error.
      Log.contextNotice(
        "cannot check whether rows of fetched results still exist: \(error.localizedDescription)")
      return Set(entries.map(\.rowKey))
    }
  }
}
