/// The files that several cells of a database refer to. If one of the rows is deleted, the others still need their
/// file.
///
/// Saves never create such references, because each value gets its own file; batch updates that copy cells, other
/// programs and damage do. All names are read once, and again only after another connection has written, after
/// `forget()`, or when a reference to a repeated name is removed. Confined to its connection.
struct RepeatedFiles {
  private var names = ValueFileNames()
  /// SQLite's data version when the names were read. It changes only when another connection writes.
  private var version: Int64?

  /// Discards the names, because the transaction in which they were read was rolled back, or a statement copies
  /// cells.
  mutating func forget() { version = nil }

  /// Returns the files that rows still refer to, in a transaction that has removed other references to them.
  mutating func named(of files: [String], on connection: SQLiteConnection) throws -> Set<String> {
    let present = try connection.dataVersion()
    // Only this connection has written since, and its saves do not repeat names.
    if version == present, !files.contains(where: { names.contains($0) }) { return [] }
    var named = ValueFileNames()
    var repeated = ValueFileNames()
    let isComplete = try ExternalFiles.forEachName(on: connection) { name in
      if !named.insert(name) { repeated.insert(name) }
    }
    if !isComplete {
      named.insertAll()
      repeated.insertAll()
    }
    names = repeated
    version = present
    return Set(files.filter { named.contains($0) })
  }
}
