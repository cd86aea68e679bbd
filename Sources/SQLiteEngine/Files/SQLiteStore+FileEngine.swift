import StoreEngine

/// Operations on the file of a store. The static ones do not require the store to be open. `open`, `replace`, `destroy`
/// and `migrate` are in other files.
extension SQLiteStore: FileEngine, RowStorage {
  static func makeRowStorage(
    model: ModelLayout, configuration: String?, origin: StoreOrigin
  ) throws -> any RowStorage {
    try open(
      URL(fileURLWithPath: "/dev/null"), model: model, configuration: configuration,
      options: .ofAtomicRows, origin: origin)
  }

  static func dictionaries(
    _ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]
  ) throws -> [[String: Any]] {
    try GatheredRows(plan, in: stores).dictionaries()
  }

  static func count(_ plan: DictionaryQuery, gatheredFrom stores: [any GatheredRowSource]) throws
    -> Int
  {
    try GatheredRows(plan, in: stores).count()
  }

  static func bytes(of url: URL, limit: Int) throws -> Data {
    try StoreBytes.withBytes(of: url) { try $0.first(limit) }
  }

  func withoutSaves(_ body: () throws -> Void) throws { try pool.write { _ in try body() } }

  static func contentState(of url: URL) -> [UInt8]? { StoreState(url)?.bytes }

  static func description(
    of url: URL
  ) throws -> (metadata: [String: Any], model: NSManagedObjectModel?) {
    // Use one connection for both, because opening a file and leaving it unchanged takes longer than reading
    // it.
    try withReadConnection(to: url) {
      (try StoreMetadata.read(on: $0, url: url), try readableModel(on: $0, of: url).model)
    }
  }

  static func inferredModel(of url: URL) throws -> NSManagedObjectModel {
    try ModelInference.model(of: url)
  }

  func lastingStatement(of read: ReadOperation) throws -> String? {
    let sql = try sql(read)
    // The results of these functions change even if the store does not. Names and strings do not count: an attribute
    // may be called random.
    let isFleeting =
      SchemaWords.bare(in: sql.text).contains(SQLFunctionNames.random.uppercased())
      || sql.text.contains("'.timeIntervalSinceNow ")
    return isFleeting ? nil : sql.withoutParameters(SQLiteDialect())
  }

  static func hasHistory(_ url: URL) throws -> Bool {
    try withReadConnection(to: url) { try HistorySchema.isInUse(on: $0) }
  }

  static func missingFiles(of url: URL) throws -> [String] {
    let url = url.withoutLinks
    let named = try withReadConnection(to: url) { try ExternalFiles.named(on: $0) }
    if named.isEmpty { return [] }
    let present = Set(try ExternalFiles(store: url).names())
    return named.sorted.filter { !ExternalFiles.isPresent($0, among: present) }
  }

  static func verify(
    _ url: URL, _ model: NSManagedObjectModel?, repairing: Bool, _ cancellation: Cancellation?
  ) throws -> StoreVerification {
    try StoreVerifier(url, model).verify(repairing: repairing, cancellation)
  }

  static func unchangedFile(_ url: URL, _ options: StoreOptions) throws -> any UnchangedFile {
    try UnchangedDatabase(url, options)
  }

  static func removeValueFiles(of url: URL) throws {
    // A link is not followed, because another store may be there.
    try ExternalFiles(store: url).removeAll()
  }

  static func withNewFiles<Result>(at url: URL, _ body: () throws -> Result) throws -> Result {
    let url = url.withoutLinks
    let files = ExternalFiles(store: url)
    let before = try files.names()
    let foldersBefore = files.presentFolders
    do {
      return try body()
    } catch {
      removeFiles(of: url)
      files.remove(((try? files.names()) ?? []).filter { !before.contains($0) })
      files.removeEmptyFolders(besides: foldersBefore)
      throw error
    }
  }

  func copy<Result>(
    to url: URL, _ options: StoreOptions, _ cancellation: Cancellation?, _ body: () throws -> Result
  ) throws -> Result {
    let url = url.withoutLinks
    // The writer is held so that no save changes the old file while it is copied.
    return try pool.write { connection in
      try Self.copy(connection, from: self.url, to: url, options, cancellation)
      var metadata = self.metadata(inFile: try Self.metadata(of: url))
      metadata[NSStoreUUIDKey] = UUID().uuidString
      try Self.setMetadata(metadata, of: url, options)
      // The history belongs to the old store, whose UUID is in its tokens.
      try Self.clearHistory(of: url, options)
      return try body()
    }
  }
}
