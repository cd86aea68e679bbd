/// A store in memory, or one that is read from a file when it is opened and written as a whole by each save.
///
/// Its rows are in a SQLite database in memory, so requests have the same results as in a SQLite file. Keys are
/// unique in the whole store, like the object IDs of an XML store.
final class AtomicStore: RowsBackedEngine, @unchecked Sendable {
  let format: AtomicFormat
  let isReadOnly: Bool
  let rows: any RowStorage
  private let model: ModelLayout
  private let lock = NSRecursiveLock()
  private var lockedMetadata: StagedMetadata
  private var nextKey: Int64
  private var url: URL?

  var metadata: [String: Any] { lock.withLock { lockedMetadata.values } }

  private init(
    _ format: AtomicFormat, at url: URL?, rows: any RowStorage, model: ModelLayout,
    isReadOnly: Bool, _ document: StoreDocument
  ) {
    self.format = format
    self.url = url
    self.rows = rows
    self.model = model
    self.isReadOnly = isReadOnly
    lockedMetadata = StagedMetadata(document.metadata)
    nextKey = document.nextKey
  }

  /// Opens a store, creating it if the file does not exist.
  ///
  /// - Throws: An error that describes what is wrong with the file, which is unchanged, or why the format cannot store
  ///   the model.
  static func open(
    _ format: AtomicFormat, at url: URL?, model: ModelLayout, configuration: String?,
    options: StoreOptions, origin: StoreOrigin? = nil
  ) throws -> AtomicStore {
    let check = ModelCheck(model: model, configuration: configuration)
    let names = try check.entityNames()
    // The entities are checked before a file is created, because the format cannot store every
    // model.
    try format.require(model.entities.filter { names.contains($0.name) })
    var document: StoreDocument
    var isNew = true
    if case .inMemory = format {
      document = StoreDocument(metadata: [:])
    } else {
      guard let url else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError, "a store of type \(format.storeType) needs the URL of a file")
      }
      isNew = !FileManager.default.fileExists(atPath: url.path)
      if isNew, options.isReadOnly { throw StoreErrors.noSuchFile(url) }
      if isNew {
        document = StoreDocument(metadata: [:])
      } else {
        func requireModel(_ metadata: [String: Any]) throws {
          if options.ignoresVersionHashes { return }
          try check.require(metadata, url: url, storeModel: { nil })
        }
        do { document = try format.read(url, model: model) } catch {
          // The objects of another model may be unreadable with this one, so the model mismatch is the better error.
          if let metadata = try? format.metadata(of: url) { try requireModel(metadata) }
          throw error
        }
        try requireModel(document.metadata)
      }
    }
    if isNew {
      document.metadata = StoreMetadata.new(
        for: model.model, entities: names, type: format.storeType)
      // Only SQLite stores have this key.
      document.metadata["_NSAutoVacuumLevel"] = nil
    }
    document.metadata[NSStoreTypeKey] = format.storeType
    let own = origin ?? StoreOrigin(identifier: "")
    let rows = try StoreKind.sqlite.makeRowStorage(
      model: model, configuration: configuration, origin: own)
    // The UUID is set after the rows are made, because their database sets a UUID of its own.
    own.identifier = document.metadata[NSStoreUUIDKey] as? String ?? ""
    try rows.load(document.changes(origin: own), from: url)
    // The rows contain the objects now, so this releases the second copy.
    document.objects = []
    let store = AtomicStore(
      format, at: url, rows: rows, model: model, isReadOnly: options.isReadOnly, document)
    if isNew { try store.write() }
    return store
  }

  func move(to url: URL) {
    lock.withLock {
      self.url = url
      // The next save writes the new file even if it has no changes.
      lockedMetadata.requireWrite()
    }
  }

  private func write() throws {
    let (url, metadata, nextKey, changeCount) = lock.withLock {
      (self.url, lockedMetadata.values, self.nextKey, lockedMetadata.changeCount)
    }
    if case .inMemory = format { return }
    guard let url else { return }
    let document = try StoreDocument(of: rows, model: model, metadata: metadata, nextKey: nextKey)
    if let data = try format.data(document) { try WholeFile.write(data, to: url) }
    // Another thread may have staged metadata while the file was written.
    lock.withLock { lockedMetadata.wereWritten(metadata, changeCount) }
  }

  // MARK: Metadata

  func stageMetadata(_ metadata: [String: Any]) {
    lock.withLock {
      lockedMetadata.stage(metadata, type: format.storeType)
      if let identifier = lockedMetadata.values[NSStoreUUIDKey] as? String {
        origin.identifier = identifier
      }
    }
  }

  private var hasStagedMetadata: Bool { lock.withLock { lockedMetadata.isUnwritten } }

  func stagedMetadata(over current: [String: Any]) -> [String: Any]? {
    lock.withLock { lockedMetadata.merged(over: current) }
  }

  func saveMetadata() throws {
    guard hasStagedMetadata else { return }
    try requireWritable()
    // Saves are prevented during the write, because otherwise the file could contain a part of a
    // save.
    try rows.withoutSaves { try write() }
  }

  // MARK: Saving

  func allocateKeys(_ requests: [KeyRequest]) throws -> [Range<Int64>] {
    try requireWritable()
    return try lock.withLock {
      var next = nextKey
      let keys = try requests.map { request in
        let count = Int64(request.count)
        // `Int64.max` is never allocated, because no key follows it.
        guard count <= Int64.max - next else {
          let detail = "has no keys left for \(request.root.name)"
          throw url.map { StoreErrors.damaged($0, "it \(detail)") }
            ?? CoreDataError.make(NSPersistentStoreSaveError, "the store in memory \(detail)")
        }
        defer { next += count }
        return next..<(next + count)
      }
      nextKey = next
      return keys
    }
  }

  func save(_ changes: inout ChangeSet, note: SaveNote) throws -> SaveOutcome {
    changes.assignKeys(try allocateKeys(changes.keyRequests), origin)
    // The file is written before the transaction of the rows commits, so a failed save changes
    // neither (`AtomicStoreTests`).
    return try rows.save(&changes, note: note) { try write() }
  }

  private func requireWritable() throws {
    guard isReadOnly else { return }
    let url = lock.withLock { self.url }
    throw CoreDataError.readOnly("the store \(url?.path ?? "")", at: url)
  }

  func close() throws { try rows.close() }
}
