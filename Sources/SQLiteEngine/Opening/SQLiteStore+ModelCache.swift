import StoreEngine

extension SQLiteStore {
  /// Returns the copy of the model in a store; nil for a store without a copy.
  static func cachedModel(of url: URL) throws -> NSManagedObjectModel? {
    try withReadConnection(to: url) { try cachedModel(on: $0, of: url) }
  }

  /// The maximum size of a compressed model that is read. Those of the largest programs have 100 KB.
  private static let largestModel: Int64 = 64 << 20

  /// Returns the copy of the model in a store; nil for a store without a copy.
  static func cachedModel(
    on connection: SQLiteConnection, of url: URL
  ) throws -> NSManagedObjectModel? {
    let tables = try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'Z_MODELCACHE' COLLATE NOCASE"
    )
    guard tables == 1 else { return nil }
    let statement = try connection.statement(
      "SELECT Z_CONTENT, LENGTH(Z_CONTENT) FROM Z_MODELCACHE")
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    guard statement.integer(1) <= largestModel else {
      throw StoreErrors.damaged(
        url,
        "its copy of the model (Z_MODELCACHE) has \(statement.integer(1)) bytes;"
          + " at most \(largestModel) are read")
    }
    do {
      return try NSManagedObjectModel(storeModelCache: statement.data(0))
    } catch {
      throw StoreErrors.damaged(
        url, "its copy of the model (Z_MODELCACHE) cannot be read: \(error.localizedDescription)",
        cause: error)
    }
  }

  /// Returns the copy of the model in a store, or the error if the copy itself cannot be read. Both are nil for a store
  /// without a copy.
  ///
  /// - Throws: Errors that do not concern the copy, such as that of a locked store. The copy may be intact.
  static func readableModel(
    on connection: SQLiteConnection, of url: URL
  ) throws -> (model: NSManagedObjectModel?, error: NSError?) {
    do {
      return (try cachedModel(on: connection, of: url), nil)
    } catch let error as SQLiteError where error.isOfStatement || error.isDamage {
      return (
        nil, StoreErrors.translate(error, "open", url, code: NSPersistentStoreOpenError)
      )
    } catch let error as NSError where error.code == NSFileReadCorruptFileError {
      return (nil, error)
    }
  }

  /// Returns the spellings of names in a damaged copy of the model, by their uppercase forms, which tables and
  /// columns use. Empty if the copy is intact, missing or larger than `largestModel`, or if SQLite cannot read it.
  static func spellings(inDamagedModelOn connection: SQLiteConnection) -> [String: String] {
    guard (try? cachedModel(on: connection, of: URL(fileURLWithPath: connection.path))) == nil,
      let statement = try? connection.statement(
        "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE LENGTH(Z_CONTENT) <= \(largestModel)")
    else { return [:] }
    defer { statement.reset() }
    guard (try? statement.step()) == true, !statement.isNull(0) else { return [:] }
    return ArchiveFragments.spellings(inModelCache: statement.data(0))
  }
}
