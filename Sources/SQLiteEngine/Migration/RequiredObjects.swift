import StoreEngine

/// Sees to it that a migration takes from no row the object that a relationship requires.
///
/// What a row did not have before, it need not have afterwards: a store that opened with a relationship that led nowhere,
/// or to a row that was not there, opens so again.
struct RequiredObjects {
  private let migration: InPlaceMigration

  init(_ migration: InPlaceMigration) { self.migration = migration }

  private var connection: SQLiteConnection { migration.connection }

  private func keys(_ layout: EntityLayout, _ slot: Int) -> String {
    "temp.OpenCoreData_were_\(layout.index)_\(slot)"
  }

  /// Notes which rows there are that required relationships lead to whose members may go. Called before the tables change.
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

  /// Asks, before statements let go of objects of a relationship, whether rows require them.
  ///
  /// - Parameter count: a query of how many rows lose theirs; made only where the relationship requires one.
  /// - Throws: `NSMigrationError` where there are some.
  func require(_ layout: EntityLayout, _ slot: Int, _ count: () throws -> String) throws {
    guard isRequired(layout, slot) else { return }
    let rows = try connection.integer(try count()) ?? 0
    if rows > 0 { throw error(layout, slot, rows) }
  }

  /// The same, where only those rows count whose objects were there.
  ///
  /// - Parameter count: gets the table of the keys of all rows that there were.
  func require(_ layout: EntityLayout, _ slot: Int, _ count: (String) throws -> String) throws {
    // Where it was no relationship to one object, what it leads to was looked at when it was filled.
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
      "\(layout.name).\(layout.slots[slot].name) requires an object, and \(count) rows of"
        + " \(migration.url.path) would lose theirs",
      [
        NSFilePathErrorKey: migration.url.path,
        NSLocalizedRecoverySuggestionErrorKey:
          "make it optional, or say in a mapping model which objects it leads to",
      ])
  }
}
