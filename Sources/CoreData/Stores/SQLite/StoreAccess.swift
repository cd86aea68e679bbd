import Foundation

/// How a file that exists may be opened, by what is asked and what the file system allows.
struct StoreAccess {
  let path: String
  let isReadOnly: Bool
  /// The file belongs with a write-ahead log.
  let isWAL: Bool
  /// The size of the log; 0 without one.
  let walSize: Int
  /// Whether a log or its index lies beside the file: somebody has it open, or ended without closing it.
  let hasSideFiles: Bool
  let canWriteFile: Bool
  let canWriteFolder: Bool

  /// - Throws: when the file cannot be written as asked, or its log cannot be read where it lies.
  func mode() throws -> SQLiteConnection.Mode {
    guard isReadOnly else {
      if canWriteFile && canWriteFolder { return .readWrite }
      throw CoreDataError.make(
        NSFileWriteNoPermissionError,
        "\(path) cannot be written\(canWriteFile ? " in a folder that may not be written" : "");"
          + " open it for reading only (NSReadOnlyPersistentStoreOption)",
        [NSFilePathErrorKey: path])
    }
    guard isWAL else { return .readOnly }
    // What nobody else has open is read without making these files: `ConnectionPool` notices when they come.
    if canWriteFile && canWriteFolder { return hasSideFiles ? .queryOnly : .immutable }
    if walSize == 0 { return .immutable }
    // SQLite shares a write-ahead log through a file beside it, which cannot be made here.
    if canWriteFolder { return .readOnly }
    throw CoreDataError.make(
      NSPersistentStoreOpenError,
      "\(path) has changes in its write-ahead log (-wal), which cannot be read in a folder"
        + " that may not be written; copy the store with its -wal file to another folder",
      [NSFilePathErrorKey: path])
  }
}
