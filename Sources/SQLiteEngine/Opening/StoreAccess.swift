import StoreEngine

/// Determines how to open an existing file, from the options and the permissions of the file system.
struct StoreAccess {
  let path: String
  let isReadOnly: Bool
  /// Whether nothing next to the file may be created or changed, even if another process has it open.
  var isImmutable = false
  /// Whether the file uses a write-ahead log.
  let isWAL: Bool
  /// The size of the log; 0 without one.
  let walSize: Int
  /// Whether there is a log, its index or a journal next to the file, because a process has it open or ended without
  /// closing it.
  let hasSideFiles: Bool
  /// Whether another connection locks, or may lock, a file with such files next to it.
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
      // If no process is writing the journal, it restores pages of the file, which reading must not do.
      return hasSideFiles && !isInUse ? .immutable : .readOnly
    }
    // If no other process has the file open, it is read without side files. `ConnectionPool` notices when they are
    // created.
    if !hasSideFiles || !isInUse { return .immutable }
    if canWriteFile && canWriteFolder { return .queryOnly }
    // Processes that have it open share its log through an existing file.
    return walSize == 0 ? .immutable : .readOnly
  }
}
