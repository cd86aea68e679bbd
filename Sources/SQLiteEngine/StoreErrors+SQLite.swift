import CSQLite
import StoreEngine

/// SQLite's errors in Core Data's terms, naming the file.
extension StoreErrors {
  static func translate(_ error: SQLiteError, _ action: String, _ url: URL, code: Int) -> NSError {
    let path = url.path
    if error.message == "parser stack overflow"
      || error.message.hasPrefix("Expression tree is too large")
    {
      return StatementLimit.error(
        "the predicate nests too deeply for SQLite: simplify it, or try it in memory with"
          + " CompiledPredicate", cause: error)
    }
    if error.message.hasPrefix("at most 64 tables in a join") {
      return StatementLimit.tooManyTables(SQLiteDialect().mostTables, cause: error)
    }
    func failure(_ code: Int, _ what: String) -> NSError {
      CoreDataError.make(code, "cannot \(action) \(path): \(what)", at: path, cause: error)
    }
    switch error.primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return damaged(url, error.message, cause: error)
    case SQLITE_BUSY, SQLITE_LOCKED:
      return failure(
        NSPersistentStoreTimeoutError, "another connection has held its lock for too long")
    case SQLITE_INTERRUPT:
      return failure(
        NSPersistentStoreTimeoutError,
        "a statement ran for too long or wrote too much; the file has triggers that are not Core Data's"
      )
    // What functions of ours give for a pattern that is none; SQLite itself has no use for the code.
    case SQLITE_FORMAT: return CoreDataError.badRequest(error.message)
    case SQLITE_READONLY, SQLITE_PERM:
      return failure(NSFileWriteNoPermissionError, "it may not be written")
    case SQLITE_FULL:
      return failure(NSFileWriteOutOfSpaceError, "the disk is full")
    case SQLITE_CONSTRAINT where error.isUniqueness:
      return failure(
        NSManagedObjectConstraintMergeError, "a uniqueness constraint is broken (\(error.message))")
    case SQLITE_CONSTRAINT:
      return failure(
        code, "a rule of the file's own, not one of the model, refuses it (\(error.message))")
    case SQLITE_ERROR where isOfSchema(error):
      return failure(NSPersistentStoreIncompatibleSchemaError, error.message)
    default:
      return failure(code, error.message)
    }
  }

  /// Whether SQLite says that the database lacks what the model has.
  static func isOfSchema(_ error: SQLiteError) -> Bool {
    let message = error.message
    return message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
      || message.contains(" has no column named ")
  }
}
