import StoreEngine

/// Determines how to open an existing file, from the options and the permissions of the file system.
struct StoreAccess {
  let path: String
  let isReadOnly: Bool
  /// Whether to create and change no files next to the store, even if another process has the store open.
  var isImmutable = false
  /// Whether the file uses a write-ahead log.
  let isWAL: Bool
  /// The size of the log; 0 if there is none.
  let walSize: Int
  /// Whether there is a log, its index or a journal next to the file: a process has the file open, or ended without
  /// closing it.
  let hasSideFiles: Bool
  /// Whether a connection of this or another process locks the file; `true` if that is unknown. Used only if
  /// ``hasSideFiles`` is `true`.
  var isInUse = true
  let canWriteFile: Bool
  let canWriteFolder: Bool

  /// Returns the mode in which to open the file.
  ///
  /// - Throws: An error if the store is opened for writing, and the file or its folder is not writable.
  func mode() throws -> SQLiteConnection.Mode {
    guard isReadOnly else {
      if canWriteFile && canWriteFolder { return .readWrite }
      throw CoreDataError.make(
        NSFileWriteNoPermissionError,
        "\(path) cannot be written\(canWriteFile ? ", because its folder is not writable" : "");"
          + " open it for reading only (NSReadOnlyPersistentStoreOption)", at: path)
    }
    if isImmutable { return .immutable }
    guard isWAL else {
      // If no process is writing the journal, SQLite would restore pages of the file from it, but reading must not
      // change the file. An immutable connection reads these pages from the journal instead (`UntouchedFiles`).
      return hasSideFiles && !isInUse ? .immutable : .readOnly
    }
    // A file that no other connection uses is read without locks, and no files are created next to it.
    // `ConnectionPool` notices when another process creates them.
    if !hasSideFiles || !isInUse { return .immutable }
    if canWriteFile && canWriteFolder { return .queryOnly }
    // An empty log need not be read. Otherwise SQLite reads the log with the index file that another process has
    // created, which requires no write permission.
    return walSize == 0 ? .immutable : .readOnly
  }
}
