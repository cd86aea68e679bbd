import CSQLite
import StoreEngine

/// SQLite's errors in Core Data's terms, naming the file.
extension StoreErrors {
  static func translate(_ error: SQLiteError, _ action: String, _ url: URL, code: Int) -> NSError {
    let path = url.path
    let info: [String: Any] = [NSFilePathErrorKey: path]
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
    switch error.primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      return damaged(url, error.message, cause: error)
    case SQLITE_BUSY, SQLITE_LOCKED:
      return CoreDataError.make(
        NSPersistentStoreTimeoutError,
        "cannot \(action) \(path): another connection has held its lock for too long", info,
        cause: error)
    case SQLITE_INTERRUPT:
      return CoreDataError.make(
        NSPersistentStoreTimeoutError,
        "cannot \(action) \(path): a statement ran for too long or wrote too much; the file has triggers"
          + " that are not Core Data's", info, cause: error)
    // What functions of ours give for a pattern that is none; SQLite itself has no use for the code.
    case SQLITE_FORMAT: return CoreDataError.badRequest(error.message)
    case SQLITE_READONLY, SQLITE_PERM:
      return CoreDataError.make(
        NSFileWriteNoPermissionError, "cannot \(action) \(path): it may not be written", info,
        cause: error)
    case SQLITE_FULL:
      return CoreDataError.make(
        NSFileWriteOutOfSpaceError, "cannot \(action) \(path): the disk is full", info,
        cause: error)
    case SQLITE_CONSTRAINT where error.isUniqueness:
      return CoreDataError.make(
        NSManagedObjectConstraintMergeError,
        "cannot \(action) \(path): a uniqueness constraint is broken (\(error.message))", info,
        cause: error)
    case SQLITE_CONSTRAINT:
      return CoreDataError.make(
        code,
        "cannot \(action) \(path): a rule of the file's own, not one of the model, refuses it"
          + " (\(error.message))", info, cause: error)
    case SQLITE_ERROR where isOfSchema(error):
      return CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError, "cannot \(action) \(path): \(error.message)",
        info,
        cause: error)
    default:
      return CoreDataError.make(
        code, "cannot \(action) \(path): \(error.message)", info, cause: error)
    }
  }

  /// Whether SQLite says that the database lacks what the model has.
  static func isOfSchema(_ error: SQLiteError) -> Bool {
    let message = error.message
    return message.hasPrefix("no such table: ") || message.hasPrefix("no such column: ")
      || message.contains(" has no column named ")
  }
}
