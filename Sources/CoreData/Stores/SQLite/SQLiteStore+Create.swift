import Foundation
import ObjectModel

extension SQLiteStore {
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
    let schema = plan.schema()
    let (pool, history) = try translating(url, "create") {
      let (connection, pool) = try connect()
      try StorePragmas(options: options).applyToNewDatabase(connection, isFile: isFile)
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
      try connection.allowIndexTriggers()
      let history = try StoreHistory.find(
        on: connection, schema, isRecorded: options.tracksHistory)
      return (pool, history)
    }
    return SQLiteStore(
      url: url, origin: takeOver(origin, metadata), isReadOnly: false, schema: schema,
      pool: pool, metadata: metadata, history: history)
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

  static func requireCreatable(_ file: StoreFile, _ options: StoreOptions) throws {
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

  /// Removes what is there of a store that could not be made.
  static func takeBack(_ file: StoreFile) {
    if file.exists { return }
    removeFiles(of: file.url)
  }
}
