/// The files that several cells of a database name: when one of the rows goes, the others still need their file.
///
/// No save makes such files, since each value gets one of its own; other programs and damaged databases have them.
/// So all names are read once, and again only after another connection has written. Confined to its connection.
struct RepeatedFiles {
  private var names = ValueFileNames()
  /// The number of the database's content, as far as others wrote it, with which the names were read.
  private var version: Int64?

  /// Forgets what is known: the transaction in which it was read ended without a commit, or a statement copies
  /// cells.
  mutating func forget() { version = nil }

  /// Which of some files rows still name, in a transaction that has removed rows that did.
  mutating func named(of files: [String], on connection: SQLiteConnection) throws -> Set<String> {
    let present = try connection.dataVersion()
    if version == present, !files.contains(where: { names.contains($0) }) { return [] }
    var named = ValueFileNames()
    var repeated = ValueFileNames()
    try ExternalFiles.forEachName(on: connection) { name in
      if !named.insert(name) { repeated.insert(name) }
    }
    names = repeated
    version = present
    return Set(files.filter { named.contains($0) })
  }
}
