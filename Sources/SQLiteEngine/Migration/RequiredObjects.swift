import StoreEngine

/// Prevents a migration from removing the destination of a required relationship.
///
/// A row that had no destination before the migration may still have none afterwards, so that a store with missing or
/// dangling destinations can be migrated.
struct RequiredObjects {
  private let migration: InPlaceMigration

  init(_ migration: InPlaceMigration) { self.migration = migration }

  private var connection: SQLiteConnection { migration.connection }

  private func keys(_ layout: EntityLayout, _ slot: Int) -> String {
    "temp.OpenCoreData_were_\(layout.index)_\(slot)"
  }

  /// Records the keys of the rows that can be destinations of a required relationship, for each relationship that may
  /// lose destinations in the migration. Called before the tables change.
  func noteObjects() throws {
    for layout in migration.plan.tables.flatMap(\.root.family) {
      for slot in StoreSchemaPlan.ownSlots(layout) where isRequired(layout, slot) {
        guard migration.losesMembers(layout, slot),
          let destinations = migration.oldDestinations(of: layout, slot)
        else { continue }
        try connection.execute("DROP TABLE IF EXISTS \(keys(layout, slot))")
        try connection.execute("CREATE TABLE \(keys(layout, slot)) (Z_PK INTEGER PRIMARY KEY)")
        try connection.execute("INSERT INTO \(keys(layout, slot)) \(destinations)")
      }
    }
  }

  private func isRequired(_ layout: EntityLayout, _ slot: Int) -> Bool {
    guard !layout.slots[slot].isOptional,
      case .toOne = migration.plan.mappings[layout.index][slot]
    else { return false }
    return true
  }

  /// Checks that no row loses its object in a required relationship. Called before the migration removes objects from
  /// the relationship.
  ///
  /// - Parameter count: Returns a query for the number of rows that would lose their object. Called only if the
  ///   relationship is required.
  /// - Throws: `NSMigrationError` if there are such rows.
  func require(_ layout: EntityLayout, _ slot: Int, _ count: () throws -> String) throws {
    guard isRequired(layout, slot) else { return }
    let rows = try connection.integer(try count()) ?? 0
    if rows > 0 { throw error(layout, slot, rows) }
  }

  /// Checks that no row loses its object in a required relationship, counting only objects that existed before the
  /// migration.
  ///
  /// - Parameter count: Returns the query. Its argument is the table with the keys that ``noteObjects()`` recorded.
  /// - Throws: `NSMigrationError` if there are such rows.
  func require(_ layout: EntityLayout, _ slot: Int, _ count: (String) throws -> String) throws {
    // A relationship that was not to-one before the migration was checked when its column was filled.
    guard isRequired(layout, slot), migration.oldDestinations(of: layout, slot) != nil else {
      return
    }
    let table = keys(layout, slot)
    let rows = try connection.integer(try count(table)) ?? 0
    if rows > 0 { throw error(layout, slot, rows) }
    try connection.execute("DROP TABLE \(table)")
  }

  private func error(_ layout: EntityLayout, _ slot: Int, _ count: Int64) -> NSError {
    CoreDataError.make(
      NSMigrationError,
      "\(layout.name).\(layout.slots[slot].name) requires an object, which"
        + " \(MessageText.rows(count)) of \(migration.url.path) would lose",
      [
        NSFilePathErrorKey: migration.url.path,
        NSLocalizedRecoverySuggestionErrorKey:
          MigrationObstacle.objectMissing(entities: [layout.name]).advice,
      ])
  }
}
