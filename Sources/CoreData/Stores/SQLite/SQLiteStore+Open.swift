import CSQLite
import Foundation
import ObjectModel

/// What a caller asks of a store when it is opened.
struct StoreOptions {
  var isReadOnly = false
  /// Seconds to wait for another connection's lock.
  var timeout: Double = 240
  var pragmas: [String: String] = [:]
  var ignoresVersionHashes = false
  /// Whether SQLite's statistics are made anew.
  var analyzes = false
  /// Whether the file is packed.
  var vacuums = false
  /// Whether a store is destroyed whoever holds a lock on it.
  var forcesDestruction = false

  init(_ options: [AnyHashable: Any]? = nil) {
    guard let options else { return }
    isReadOnly = Self.bool(options[NSReadOnlyPersistentStoreOption])
    ignoresVersionHashes = Self.bool(options[NSIgnorePersistentStoreVersioningOption])
    analyzes = Self.bool(options[NSSQLiteAnalyzeOption])
    vacuums = Self.bool(options[NSSQLiteManualVacuumOption])
    forcesDestruction = Self.bool(options[NSPersistentStoreForceDestroyOption])
    if let timeout = options[NSPersistentStoreTimeoutOption] as? NSNumber {
      self.timeout = timeout.doubleValue
    }
    if let pragmas = options[NSSQLitePragmasOption] as? [String: Any] {
      self.pragmas = pragmas.mapValues { "\($0)" }
    }
  }

  private static func bool(_ value: Any?) -> Bool { (value as? NSNumber)?.boolValue ?? false }
}

extension SQLiteStore {
  /// A path that stands for a store in memory.
  static func isInMemory(_ url: URL) -> Bool {
    url.path == "/dev/null" || url.path.hasPrefix("/dev/null/")
  }

  /// A path that stands for a store in memory that only the coordinator that opens it has.
  static func isNameless(_ url: URL) -> Bool {
    isInMemory(url) && NamedDatabase.name(in: url) == nil
  }

  /// Whether there is something at a URL that could be opened.
  static func exists(_ url: URL) -> Bool {
    if let name = NamedDatabase.name(in: url) { return NamedDatabase.existing(name) != nil }
    return !isInMemory(url) && FileManager.default.fileExists(atPath: url.path)
  }

  /// Opens a store, or makes it when there is no file yet.
  ///
  /// - Parameter origin: where the IDs of another store's objects come from, which this one takes
  ///   over; nil for a store with objects of its own.
  /// - Throws: an error that names the file and what is wrong with it; the file is then as it was.
  static func open(
    _ url: URL, model: ModelLayout, configuration: String?, options: StoreOptions,
    origin: StoreOrigin? = nil
  ) throws -> SQLiteStore {
    if let name = NamedDatabase.name(in: url) {
      return try openNamed(
        name, url, model: model, configuration: configuration, options: options, origin: origin)
    }
    if isNameless(url) {
      return try create(
        url, model: model, configuration: configuration, isFile: false, options, origin
      ) {
        let connection = try SQLiteConnection(
          path: ":memory:", mode: .readWriteCreate, busyTimeout: options.timeout)
        return (
          connection,
          ConnectionPool(connection, busyTimeout: options.timeout, isShared: false)
        )
      }
    }
    let file = try StoreFile(url)
    if try !file.exists || file.isEmpty || isDestroyed(file, options) {
      try requireCreatable(file, options)
      do {
        return try create(
          url, model: model, configuration: configuration, isFile: true, options, origin
        ) {
          let connection = try SQLiteConnection(
            path: url.path, mode: .readWriteCreate, busyTimeout: options.timeout)
          return (
            connection,
            ConnectionPool(connection, busyTimeout: options.timeout, isShared: true)
          )
        }
      } catch {
        takeBack(file)
        throw error
      }
    }
    return try translating(url, "open") {
      try withConnection(file, options) { connection, sideFiles in
        try requireStore(connection, file)
        let (schema, metadata) = try check(
          connection, url, model: model, configuration: configuration, options)
        try apply(options.pragmas, to: connection)
        if connection.mode == .readWrite {
          connection.setCheckpointsOnClose(true)
          sideFiles?.keep()
          try tidy(connection, options)
        }
        return SQLiteStore(
          url: url, origin: takeOver(origin, metadata),
          isReadOnly: connection.mode != .readWrite, schema: schema,
          pool: ConnectionPool(connection, busyTimeout: options.timeout, isShared: true),
          metadata: metadata, sideFiles: sideFiles)
      }
    }
  }

  /// Reads what a store says of itself, and throws when the model is not its.
  static func check(
    _ connection: SQLiteConnection, _ url: URL, model: ModelLayout, configuration: String?,
    _ options: StoreOptions
  ) throws -> (schema: StoreSchema, metadata: [String: Any]) {
    let metadata = try StoreMetadata.read(on: connection, url: url)
    if !options.ignoresVersionHashes {
      try ModelCheck(model: model, configuration: configuration)
        .require(metadata, url: url) { try cachedModel(on: connection, of: url) }
    }
    let schema = try SchemaReader(connection: connection, url: url)
      .schema(of: model, stored: metadata)
    return (schema, metadata)
  }

  static func tidy(_ connection: SQLiteConnection, _ options: StoreOptions) throws {
    if options.vacuums { try connection.execute("VACUUM") }
    if options.analyzes { try connection.execute("ANALYZE") }
  }

  /// An origin with the UUID of a store's metadata.
  static func takeOver(_ origin: StoreOrigin?, _ metadata: [String: Any]) -> StoreOrigin {
    let identifier = metadata[NSStoreUUIDKey] as? String ?? ""
    guard let origin else { return StoreOrigin(identifier: identifier) }
    origin.identifier = identifier
    return origin
  }

  /// Runs `body` with a new connection to a file that exists; when it fails, the file and its
  /// folder are as they were.
  static func withConnection<Result>(
    _ file: StoreFile, _ options: StoreOptions,
    _ body: (SQLiteConnection, SideFiles?) throws -> Result
  ) throws -> Result {
    let sideFiles = file.isWAL ? SideFiles(file) : nil
    let connection = try connect(file, options)
    if file.isWAL { connection.setCheckpointsOnClose(false) }
    do {
      return try body(connection, sideFiles)
    } catch {
      connection.close()
      sideFiles?.remove()
      throw error
    }
  }

  /// Removes what is there of a store that could not be made.
  private static func takeBack(_ file: StoreFile) {
    if file.exists { return }
    removeFiles(of: file.url)
  }

  /// The metadata of a store, without a model.
  static func metadata(of url: URL) throws -> [String: Any] {
    try reading(url) { try StoreMetadata.read(on: $0, url: url) }
  }

  /// Opens an existing store for reading, for as long as `body` runs.
  static func reading<Result>(_ url: URL, _ body: (SQLiteConnection) throws -> Result) throws
    -> Result
  {
    if isInMemory(url) { return try readingNamed(url, body) }
    let file = try StoreFile(url)
    guard file.exists else { throw noSuchFile(url) }
    if file.isEmpty { throw StoreErrors.notAStore(url, "the file is empty") }
    return try translating(url, "open") {
      var options = StoreOptions()
      options.isReadOnly = true
      return try withConnection(file, options) { connection, sideFiles in
        try requireStore(connection, file)
        let result = try body(connection)
        connection.close()
        sideFiles?.remove()
        return result
      }
    }
  }

  private static func requireCreatable(_ file: StoreFile, _ options: StoreOptions) throws {
    if options.isReadOnly {
      throw file.exists
        ? StoreErrors.notAStore(file.url, "the file is empty") : noSuchFile(file.url)
    }
    let folder = file.url.deletingLastPathComponent()
    if !FileManager.default.fileExists(atPath: folder.path) {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "cannot create \(file.url.path): its folder does not exist",
        [NSFilePathErrorKey: file.url.path])
    }
  }

  static func noSuchFile(_ url: URL) -> NSError {
    CoreDataError.make(
      NSFileReadNoSuchFileError, "no such file: \(url.path)", [NSFilePathErrorKey: url.path])
  }

  /// Connects to a file that exists, without writing to it or beside it if that can be helped.
  private static func connect(_ file: StoreFile, _ options: StoreOptions) throws -> SQLiteConnection
  {
    let path = file.url.path
    let mode = try StoreAccess(
      path: path, isReadOnly: options.isReadOnly, isWAL: file.isWAL, walSize: file.walSize ?? 0,
      canWriteFile: access(path, W_OK) == 0, canWriteFolder: file.folderIsWritable
    ).mode()
    return try SQLiteConnection(path: path, mode: mode, busyTimeout: options.timeout)
  }

  /// Whether a database has Core Data's tables.
  static func hasTables(_ connection: SQLiteConnection) throws -> Bool {
    let count = try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'"
        + " AND name IN ('Z_METADATA', 'Z_PRIMARYKEY')")
    return count == 2
  }

  /// Throws unless the file has Core Data's tables.
  static func requireStore(_ connection: SQLiteConnection, _ file: StoreFile) throws {
    if try hasTables(connection) { return }
    let tables = try connection.integer("SELECT COUNT(*) FROM sqlite_schema") ?? 0
    if tables == 0, file.isWAL, (file.walSize ?? 0) == 0 {
      throw StoreErrors.damaged(
        file.url,
        "it is empty, and its write-ahead log \(file.url.lastPathComponent)-wal is missing: the data"
          + " was in that file; copy both together")
    }
    throw StoreErrors.notAStore(file.url, "it is a SQLite file without Core Data's tables")
  }

  static func apply(_ pragmas: [String: String], to connection: SQLiteConnection) throws {
    for (name, value) in pragmas.sorted(by: { $0.key < $1.key }) {
      guard name.allSatisfy({ $0.isLetter || $0 == "_" }),
        value.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
      else {
        throw CoreDataError.badRequest("not a SQLite pragma: \(name) = \(value)")
      }
      try connection.execute("PRAGMA \(name) = \(value)")
    }
  }

  /// Makes the tables of a new store.
  ///
  /// - Parameter connect: gives an empty database, and the pool of the store's connections to it.
  static func create(
    _ url: URL, model: ModelLayout, configuration: String?, isFile: Bool,
    _ options: StoreOptions, _ origin: StoreOrigin?,
    _ connect: () throws -> (SQLiteConnection, ConnectionPool)
  ) throws -> SQLiteStore {
    let names = try ModelCheck(model: model, configuration: configuration).entityNames()
    let plan = StoreSchemaPlan(
      model: model, numbers: StoreSchemaPlan.numbers(of: model, entities: Set(names)))
    let metadata = StoreMetadata.new(for: model.model, entities: names)
    let statements = try SchemaBuilder(plan: plan).statements()
    let cache = try model.model.storeModelCache()
    let pool = try translating(url, "create") {
      let (connection, pool) = try connect()
      try connection.execute("PRAGMA auto_vacuum = incremental")
      if isFile { try connection.execute("PRAGMA journal_mode = WAL") }
      try apply(options.pragmas, to: connection)
      try connection.transaction {
        // A file that was emptied said so there.
        if isFile { try connection.execute("PRAGMA application_id = 0") }
        for statement in statements { try connection.execute(statement) }
        try insertEntities(plan, on: connection)
        try StoreMetadata.write(metadata, on: connection)
        let insert = try connection.statement("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (?)")
        insert.bind(cache, at: 1)
        try insert.run()
      }
      return pool
    }
    return SQLiteStore(
      url: url, origin: takeOver(origin, metadata), isReadOnly: false, schema: plan.schema(),
      pool: pool, metadata: metadata)
  }

  private static func insertEntities(
    _ plan: StoreSchemaPlan, on connection: SQLiteConnection
  ) throws {
    let insert = try connection.statement(
      "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?1, ?2, ?3, 0)")
    for layout in plan.model.entities {
      guard let number = plan.numbers[layout.index] else { continue }
      let parent = layout.superlayout.flatMap { plan.numbers[$0.index] } ?? 0
      insert.bind(Int64(number), at: 1)
      insert.bind(layout.name, at: 2)
      insert.bind(Int64(parent), at: 3)
      try insert.run()
    }
  }

  static func translating<Result>(
    _ url: URL, _ action: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      throw StoreErrors.translate(error, action, url, code: NSPersistentStoreOpenError)
    }
  }
}
