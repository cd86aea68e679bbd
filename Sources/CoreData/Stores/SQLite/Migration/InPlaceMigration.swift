import Foundation
import ObjectModel

/// Makes a store of one model a store of another, inside the transaction that its connection is in: no
/// object is loaded, and rows keep their keys.
///
/// For changes that are lightweight: what becomes of each value is known from the two models. A table whose
/// columns only get other names or company is altered; another one is made anew of its rows.
///
/// Everything that the new model needs is worked out before the first statement changes anything.
struct InPlaceMigration {
  let connection: SQLiteConnection
  let url: URL
  let sources: MigrationSources
  /// Where the old model's values are.
  let old: StoreSchema
  /// Where the new model's go.
  let plan: StoreSchemaPlan
  /// The store's metadata as they were.
  let metadata: [String: Any]

  /// - Parameter names: the entities that the store is to keep.
  init(
    _ sources: MigrationSources, keeping names: [String], on connection: SQLiteConnection,
    _ url: URL
  ) throws {
    self.connection = connection
    self.url = url
    self.sources = sources
    metadata = try StoreMetadata.read(on: connection, url: url)
    old = try SchemaReader(connection: connection, url: url)
      .schema(of: sources.old, stored: metadata)
    plan = StoreSchemaPlan(
      model: sources.new,
      numbers: StoreSchemaPlan.numbers(of: sources.new, entities: Set(names)))
  }

  /// Changes the store. Nothing is changed for good before the transaction ends.
  func run() throws {
    let relationships = RelationshipMigration(self)
    let tables = plan.tables.map { TableMigration($0, in: self) }
    let statements = try SchemaBuilder(plan: plan).statements()

    try relationships.readPairs()
    try dropTriggers()
    let names = try setAside(tables)
    for table in tables { try table.run(names) }
    for name in names.values { try connection.execute("DROP TABLE \(SQLText.name(name))") }
    try relationships.writePairs()
    try relationships.dropLostMembers()
    try relationships.completeColumns()
    try makeSchema(statements)
    try writeRecords()
    try migrateHistory()
    try MigratedValues(self).run()
    // What cannot be read afterwards is not left behind.
    _ = try SchemaReader(connection: connection, url: url)
      .schema(of: sources.new, stored: StoreMetadata.read(on: connection, url: url))
  }

  /// Puts the tables out of the way that are made anew or not needed any more.
  ///
  /// - Returns: what they are called meanwhile.
  private func setAside(_ tables: [TableMigration]) throws -> [String: String] {
    let kept = Set(tables.compactMap(\.keptTable))
    var names: [String: String] = [:]
    for table in Set(old.tables.compactMap { $0 }).subtracting(kept).sorted() {
      let name = "OpenCoreData_old_\(names.count)"
      try dropIndexes(of: table)
      try connection.execute(
        "ALTER TABLE \(SQLText.name(table)) RENAME TO \(SQLText.name(name))")
      names[table] = name
    }
    return names
  }
}
