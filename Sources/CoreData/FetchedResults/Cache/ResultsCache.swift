/// The order, keys and sections of a result, kept in a file beyond the program's end.
///
/// It is used only where the store's file is as it was when the rows were read, and the statement that
/// would be run is the one that was, with the same parameters: it cannot give a wrong row. What cannot be
/// kept in that way has no cache: results that are made of objects, of several stores, of stores that are
/// no files of a database, of a pinned state, of a parent context, of the time or chance.
struct ResultsCache {
  private let file: URL
  private let store: any FileEngine
  /// What the rows are a result of.
  private let subject: [UInt8]
  private let results: LiveResults

  /// nil for results that have no cache.
  init?(_ name: String, for results: LiveResults) {
    guard !results.readsObjects, results.context.parent == nil,
      let stores = results.context.persistentStoreCoordinator?.persistentStores,
      stores.count == 1, results.stores.count == 1,
      let engine = try? results.context.engine(of: stores[0]),
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

  /// The state of the store now; nil where it cannot be told.
  var state: [UInt8]? { type(of: store).contentState(of: store.url) }

  /// The rows that were kept, if they are those of a state of the store.
  func tree(_ state: [UInt8]) -> ResultsTree? {
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

  /// Keeps rows. What goes wrong is logged: the results do not need it.
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
      try Data(writer.bytes).write(to: file, options: .atomic)
    } catch {
      Log.contextNotice(
        "the results of \(results.plan.layout.name) were not kept in \(file.path):"
          + " \(error.localizedDescription)")
    }
  }

  private static let format = Array("fetched results 1".utf8)
}
