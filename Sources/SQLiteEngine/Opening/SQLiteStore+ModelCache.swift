import StoreEngine

extension SQLiteStore {
  /// The model that a store carries; nil for a store that carries none.
  static func cachedModel(of url: URL) throws -> NSManagedObjectModel? {
    try withReadConnection(to: url) { try cachedModel(on: $0, of: url) }
  }

  /// The most bytes of a packed model that are read: those of the largest programs are 100 KB.
  private static let largestModel: Int64 = 64 << 20

  /// The model that the store behind a connection carries; nil for a store that carries none.
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
        "the model it carries (Z_MODELCACHE) has \(statement.integer(1)) bytes;"
          + " at most \(largestModel) are read")
    }
    do {
      return try NSManagedObjectModel(storeModelCache: statement.data(0))
    } catch {
      throw StoreErrors.damaged(
        url, "the model it carries (Z_MODELCACHE) cannot be read: \(error.localizedDescription)",
        cause: error)
    }
  }

  /// How names are spelled in a model that the store carries and that cannot be read as a whole: by their form in
  /// upper case, as tables and columns have them. Empty for a model that is whole, and for none.
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
