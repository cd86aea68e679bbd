import CSQLite
import StoreEngine

/// The value files of one transaction: those that it writes, and those whose rows it changes or
/// removes.
///
/// A file is complete and on the disk before the transaction is committed. The file of a removed
/// row is kept until after the commit. So a row never refers to a missing file, and a crash can
/// only leave files that no row refers to.
final class ExternalWriter {
  private let store: URL
  /// Nil for a store without a file, which keeps all values in the rows, and for a transaction that writes no value
  /// files.
  private let use: ExternalUse?
  private var written: [String] = []
  /// The files to remove after the commit.
  private var released: [String] = []
  /// Whether only the commit remains to be done.
  private var isSealed = false
  private weak var connection: SQLiteConnection?

  init(_ store: URL, _ use: ExternalUse?) {
    self.store = store
    self.use = use
  }

  /// Returns whether a value is stored in a file.
  func keepsOutside(_ data: Data) -> Bool {
    use != nil && data.count > ExternalStorage.threshold
  }

  /// Returns the bytes to store in the column of a value. Writes a file first if the value is too large for the row.
  func column(_ data: Data) throws -> Data {
    guard keepsOutside(data) else { return ExternalStorage.marked(data) }
    let name = UUID().uuidString
    try files.write(data, name)
    written.append(name)
    return ExternalStorage.marked(fileName: name)
  }

  /// Releases the files that some columns refer to in the rows that match a condition. The caller is about to remove
  /// these rows or change the columns.
  func release(
    _ columns: [String], of table: String, where condition: SQLText, on connection: SQLiteConnection
  ) throws {
    if use != nil {
      released += try Self.names(columns, of: table, where: condition, on: connection)
    }
  }

  /// Returns the names of the value files that columns of a table refer to, in the rows that match a condition.
  static func names(
    _ columns: [String], of table: String, where condition: SQLText, on connection: SQLiteConnection
  ) throws -> [String] {
    var names: [String] = []
    for column in columns {
      let column = SQLText.name(column)
      // A reference that Core Data writes has 38 bytes: a mark, a UUID as text, and a zero byte. SQLite knows the
      // length of a value without reading it.
      var text = SQLText(
        "SELECT \(column) FROM \(SQLText.name(table)) WHERE length(\(column)) = 38 AND ")
      text += condition
      try connection.run(text) { row in
        if let name = ExternalStorage.fileName(in: row.blobBytes(0)) { names.append(name) }
      }
    }
    return names
  }

  /// Releases the files that rows no longer refer to, and removes new files that no row refers to. Call it after a
  /// statement that skips or updates rows when a constraint is violated, because only SQLite knows which rows it wrote.
  ///
  /// - Parameters:
  ///   - before: The files that the table referred to before the statement.
  ///   - after: The files that the table refers to now.
  func settle(before: [String], after: [String]) {
    let present = Set(after)
    released += before.filter { !present.contains($0) }
    files.remove(written.filter { !present.contains($0) })
    written.removeAll { !present.contains($0) }
  }

  /// Writes the folder's entries to the disk. Only the commit may follow.
  ///
  /// Keeps released files that other rows still refer to.
  ///
  /// - Parameter connection: The connection of the transaction.
  func seal(on connection: SQLiteConnection) throws {
    if !released.isEmpty {
      self.connection = connection
      let named = try connection.repeatedFiles.named(of: released, on: connection)
      released.removeAll(where: named.contains)
    }
    // The bytes of the files are on the disk already, but their names are not.
    if !written.isEmpty { try files.synchronize() }
    // Do not set this earlier: if a statement above fails, nothing is committed, and new files must
    // be removed.
    isSealed = true
  }

  /// Removes the files of rows that the committed transaction changed or removed, as soon as this process needs
  /// none of them.
  func didCommit() { use?.discard(released) }

  /// Removes the files that were written for a transaction that was rolled back. They are kept if
  /// COMMIT failed while SQLite was writing.
  func didRollBack(after error: any Error) {
    // The names in `repeatedFiles` were read in the transaction that was rolled back.
    connection?.repeatedFiles.forget()
    // If COMMIT failed while SQLite was writing, a database that is recovered after a crash may
    // contain the transaction. If SQLite could not acquire a lock, or a constraint was violated, it
    // wrote nothing.
    let code = (error as? SQLiteError)?.primaryCode
    if !isSealed || [nil, SQLITE_BUSY, SQLITE_CONSTRAINT].contains(code) { files.remove(written) }
  }

  private var files: ExternalFiles { ExternalFiles(store: store) }
}

extension StoreSchema {
  /// Returns the columns of an entity whose values may be in files: of all its slots, or only of some.
  func externalColumns(_ layout: EntityLayout, slots: [Int]? = nil) -> [String] {
    (slots ?? layout.externalSlots).compactMap { slot in
      guard layout.externalSlots.contains(slot),
        case .attribute(let column) = mapping(layout, slot)
      else { return nil }
      return column
    }
  }

  /// Returns the columns of a whole table whose values may be in files.
  func externalColumns(ofFamily root: EntityLayout) -> [String] {
    Set(root.family.filter { contains($0) }.flatMap { externalColumns($0) }).sorted()
  }
}
