import StoreEngine

/// How a file that exists may be opened, by what is asked and what the file system allows.
struct StoreAccess {
  let path: String
  let isReadOnly: Bool
  /// Nothing beside the file may be made or changed, whoever else has it open.
  var isImmutable = false
  /// The file belongs with a write-ahead log.
  let isWAL: Bool
  /// The size of the log; 0 without one.
  let walSize: Int
  /// Whether a log, its index or a journal lies beside the file: somebody has it open, or ended without closing it.
  let hasSideFiles: Bool
  /// Whether another connection holds a lock on a file that has such files, or may do so.
  var isInUse = true
  let canWriteFile: Bool
  let canWriteFolder: Bool

  /// - Throws: when the file cannot be written as asked.
  func mode() throws -> SQLiteConnection.Mode {
    guard isReadOnly else {
      if canWriteFile && canWriteFolder { return .readWrite }
      throw CoreDataError.make(
        NSFileWriteNoPermissionError,
        "\(path) cannot be written\(canWriteFile ? " in a folder that may not be written" : "");"
          + " open it for reading only (NSReadOnlyPersistentStoreOption)", at: path)
    }
    if isImmutable { return .immutable }
    guard isWAL else {
      // A journal that nobody is writing takes back what is in the file; to read is not to put that back.
      return hasSideFiles && !isInUse ? .immutable : .readOnly
    }
    // What nobody else has open is read without making these files: `ConnectionPool` notices when they come.
    if !hasSideFiles || !isInUse { return .immutable }
    if canWriteFile && canWriteFolder { return .queryOnly }
    // Those who have it open share its log through a file that is there already.
    return walSize == 0 ? .immutable : .readOnly
  }
}
