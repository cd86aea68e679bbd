/// The order, keys and sections of results, kept in a file after the program ends.
///
/// A cache is used only if the store's file has not changed since the rows were read, and if the results execute the
/// same statement with the same parameters. So it never returns a wrong row. Results for which this cannot be checked
/// have no cache: those that are read into objects; those of a coordinator with several stores, of a store that is not
/// a database file, of a pinned query generation or of a parent context; and those that depend on the current time or
/// on random numbers.
struct ResultsCache {
  private let file: URL
  private let store: any FileEngine
  /// Identifies the request: the store, the entity's version, the statement and the version of the collation.
  private let subject: [UInt8]
  private let results: LiveResults

  /// Returns nil for results that have no cache.
  init?(_ name: String, for results: LiveResults) {
    guard !results.readsObjects, results.context.parent == nil,
      let stores = results.context.persistentStoreCoordinator?.persistentStores,
      stores.count == 1, results.stores.count == 1,
      let engine = try? results.context.engine(of: stores[0]),
      // A pinned context has a different engine, and its rows may be older than the file's.
      let store = engine as? any FileEngine, store === stores[0].engine,
      !StoreLocation(store.url).isInMemory,
      let statement = try? store.lastingStatement(of: results.read)
    else { return nil }
    self.store = store
    self.results = results
    file = CacheFile.url(name, store: store.origin.identifier)
    var subject = ByteWriter()
    subject.write(store.url.path)
    subject.write(results.plan.layout.entity.versionHash)
    subject.write(statement)
    subject.write(StringComparison.localizedVersion)
    self.subject = subject.bytes
  }

  /// The current state of the store; nil if it cannot be determined.
  var state: [UInt8]? { type(of: store).contentState(of: store.url) }

  /// Reads the cached rows. Returns nil unless the file is intact and was written for the same request and the given
  /// state of the store.
  func tree(_ state: [UInt8]) -> ResultsTree? {
    // Errors are ignored: without a cache, the rows are read from the store.
    guard let data = try? PlainFile.read(file), data.count > 8 else { return nil }
    let bytes = [UInt8](data)
    let content = Array(bytes.dropLast(8))
    var sum = ByteReader(Array(bytes.suffix(8)))
    guard sum.number() == Checksum.of(content) else { return nil }
    var reader = ByteReader(content)
    guard reader.bytes() == Self.format, reader.bytes() == subject, reader.bytes() == state
    else { return nil }
    return ResultsTree(reading: &reader, results: results, origin: store.origin)
  }

  /// Writes the rows. Errors are logged rather than thrown.
  func keep(_ tree: ResultsTree, _ state: [UInt8]) {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(subject)
    writer.write(state)
    tree.write(to: &writer, names: results.names)
    writer.write(number: Checksum.of(writer.bytes))
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      // Another process of the program may read the file at the same time.
      try Data(writer.bytes).write(to: file, options: .atomic)
    } catch {
      // The results do not depend on the cache, so the fetch succeeds.
      Log.contextNotice(
        "cannot cache the results of \(results.plan.layout.name) in \(file.path):"
          + " \(error.localizedDescription)")
    }
  }

  private static let format = Array("fetched results 1".utf8)
}
