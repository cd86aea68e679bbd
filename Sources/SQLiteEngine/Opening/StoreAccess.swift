import StoreEngine

/// Determines how to open an existing file, from the options and the permissions of the file system.
struct StoreAccess {
  let path: String
  let isReadOnly: Bool
  /// Whether nothing next to the file may be created or changed, even if another process has it open.
  var isImmutable = false
  /// Whether the file uses a write-ahead log.
  let isWAL: Bool
  /// The size of the log; 0 if there is none.
  let walSize: Int
  /// Whether there is a log, its index or a journal next to the file, because a process has it open or ended without
  /// closing it.
  let hasSideFiles: Bool
  /// Whether a connection of this or another process locks the file, or may lock it. Only used if there are such files
  /// next to it.
  var isInUse = true
  let canWriteFile: Bool
  let canWriteFolder: Bool

  /// - Throws: If the file must be writable and is not.
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
    // An empty log need not be read. Otherwise SQLite reads it with the index file that the other processes have
    // created, which requires no right to write.
    return walSize == 0 ? .immutable : .readOnly
  }
}
