import CSQLite
import StoreEngine

/// Converts SQLite's errors to Core Data's, with the path of the file.
extension StoreErrors {
  static func translate(_ error: SQLiteError, _ action: String, _ url: URL, code: Int) -> NSError {
    let path = url.path
    // SQLite has no specific codes for the following errors, so their messages identify them.
    if error.message == "parser stack overflow"
      || error.message.hasPrefix("Expression tree is too large")
    {
      return StatementLimit.error(
        "the predicate nests too deeply for SQLite: simplify it, or evaluate it in memory with"
          + " CompiledPredicate", cause: error)
    }
    if error.message.hasPrefix("at most 64 tables in a join") {
      return StatementLimit.tooManyTables(in: SQLiteDialect(), cause: error)
    }
    func failure(_ code: Int, _ what: String) -> NSError {
      CoreDataError.make(code, "cannot \(action) \(path): \(what)", at: path, cause: error)
    }
    switch error.primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return damaged(url, error.message, cause: error)
    case SQLITE_BUSY, SQLITE_LOCKED:
      return failure(
        NSPersistentStoreTimeoutError, "another connection has locked it for too long")
    case SQLITE_INTERRUPT:
      return failure(
        NSPersistentStoreTimeoutError,
        "a statement ran too long or wrote too much; the file has triggers, indexes, constraints or default"
          + " values that are not Core Data's"
      )
    // The library's functions set this code for an error of the predicate, such as an invalid pattern. SQLite itself
    // does not use it.
    case SQLITE_FORMAT: return CoreDataError.badRequest(error.message)
    case SQLITE_READONLY, SQLITE_PERM:
      return failure(NSFileWriteNoPermissionError, "it is not writable")
    case SQLITE_FULL:
      return failure(NSFileWriteOutOfSpaceError, "the disk is full")
    case SQLITE_CONSTRAINT where error.isUniqueness:
      return failure(
        NSManagedObjectConstraintMergeError,
        "a uniqueness constraint is violated (\(error.message))")
    case SQLITE_CONSTRAINT:
      return failure(
        code, "it violates a rule of the file that the model does not contain (\(error.message))")
    case SQLITE_ERROR where isOfSchema(error):
      return failure(NSPersistentStoreIncompatibleSchemaError, error.message)
    default:
      return failure(code, error.message)
    }
  }

  /// Returns whether an error means that the database lacks a table or column that a statement uses.
  static func isOfSchema(_ error: SQLiteError) -> Bool {
    let message = error.message
    return message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
      || message.contains(" has no column named ")
  }
}
