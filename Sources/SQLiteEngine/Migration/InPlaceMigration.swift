import StoreEngine

/// Migrates a store to another model inside the open transaction of its connection. Loads no objects and preserves
/// the keys of rows.
///
/// This is for lightweight changes: the two models determine each new value. A table is altered if its columns are
/// only renamed, added, or kept for later removal; otherwise, it is created again from its rows.
///
/// `run()` makes all statements of the new schema before it changes anything, so that a model that SQLite cannot store
/// fails at the beginning.
///
/// ``MigrationSources`` maps each new slot to the old slot with its values. ``TableMigration`` moves the rows, and
/// ``RelationshipMigration`` moves relationships that the new model stores in other columns or tables. The schema,
/// the store's records and its history follow from the new model. `RandomMigrationTests` migrates stores through random
/// models, and compares them with plain dictionaries and with the schemas of new stores.
struct InPlaceMigration {
  let connection: SQLiteConnection
  let url: URL
  let sources: MigrationSources
  /// The schema of the old store.
  let old: StoreSchema
  /// The code in the file that a store of the old model would not have.
  let foreignCode: [SchemaCode]
  /// The schema that a new store of the old model would have.
  let oldPlan: StoreSchemaPlan
  /// The schema of the new model.
  let plan: StoreSchemaPlan
  /// The columns that contain the owners of relationships without an inverse, by the index of the root entity of the
  /// new table.
  private let ownerColumns: [Int: [OwnerColumn]]
  /// The old metadata of the store.
  let metadata: [String: Any]
  let settings: MigrationSettings
  /// The tables with constraints or columns that the old model does not have.
  let tablesWithMore: Set<String>

  /// A column that contains the owner of a relationship without an inverse.
  typealias OwnerColumn = (layout: EntityLayout, slot: Int, column: String, order: String?)

  /// Returns the schema of a store that is going to be migrated.
  static func schema(
    of model: ModelLayout, on connection: SQLiteConnection, _ url: URL
  ) throws -> StoreSchema {
    try SchemaReader(connection: connection, url: url, comparesCase: true)
      .schema(of: model, stored: StoreMetadata.read(on: connection, url: url))
  }

  /// - Parameters:
  ///   - old: The schema of the store.
  ///   - foreignCode: The code in the file that a store of the old model would not have.
  ///   - names: The entities of the migrated store.
  init(
    _ sources: MigrationSources, from old: StoreSchema, _ foreignCode: [SchemaCode],
    keeping names: [String], on connection: SQLiteConnection, _ url: URL,
    _ settings: MigrationSettings
  ) throws {
    self.connection = connection
    self.url = url
    self.settings = settings
    self.sources = sources
    metadata = try StoreMetadata.read(on: connection, url: url)
    self.old = old
    self.foreignCode = foreignCode
    plan = StoreSchemaPlan(
      model: sources.new, numbers: StoreSchemaPlan.numbers(of: sources.new, entities: Set(names)))
    oldPlan = StoreSchemaPlan(model: sources.old, numbers: old.numbers)
    ownerColumns = Self.ownerColumns(of: plan)
    try Self.requireKept(sources, old, plan, connection, url)
    // Remains of an earlier migration have names that this one may need.
    let present = StoreSchemaPlan(old)
    let remains = MigrationRemains(connection: connection)
    try remains.removeAll(but: present)
    // In stores from before iOS 11, the statement of a table may contain uniqueness constraints.
    let constrained = try connection.texts(
      "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NULL")
    tablesWithMore = try remains.tables(besides: present).union(constrained)
  }

  /// - Throws: `NSMigrationError` if rows would be deleted whose entity is in the new model, but not in the
  ///   configuration that the store is opened with.
  private static func requireKept(
    _ sources: MigrationSources, _ old: StoreSchema, _ plan: StoreSchemaPlan,
    _ connection: SQLiteConnection, _ url: URL
  ) throws {
    for layout in sources.old.entities {
      guard let number = old.numbers[layout.index], let table = old.tables[layout.index],
        let successor = sources.successor(of: layout), plan.numbers[successor.index] == nil
      else { continue }
      let count = try connection.integer(
        "SELECT COUNT(*) FROM \(SQLText.name(table)) WHERE Z_ENT = \(number)")
      guard let count, count > 0 else { continue }
      throw CoreDataError.make(
        NSMigrationError,
        "the store \(url.path) has \(MessageText.rows(count)) of \(layout.name), which is not in the configuration"
          + " that it is opened with: a migration would delete them", at: url.path)
    }
  }

  private static func ownerColumns(of plan: StoreSchemaPlan) -> [Int: [OwnerColumn]] {
    var columns: [Int: [OwnerColumn]] = [:]
    for layout in plan.model.entities {
      for slot in StoreSchemaPlan.ownSlots(layout) {
        guard case .children(let column, let order, false) = plan.mappings[layout.index][slot],
          let root = layout.slots[slot].relationship?.destination.rootIndex
        else { continue }
        columns[root, default: []].append((layout, slot, column, order))
      }
    }
    return columns
  }

  /// Returns the columns of a new table that contain the owners of relationships without an inverse.
  func ownerColumns(in root: EntityLayout) -> [OwnerColumn] { ownerColumns[root.index] ?? [] }

  /// Migrates the store. The changes are permanent when the transaction is committed.
  func run() throws {
    let relationships = RelationshipMigration(self)
    let tables = plan.tables.map { TableMigration($0, in: self) }
    let statements = try SchemaBuilder(plan: plan).statements()
    connection.clock?.allowWritingFile(times: ownWrites(statements))
    try dropForeignIndexes()
    let own = try OwnSchema(
      removedFrom: self, keeping: relationships.keptJoins.union(tables.compactMap(\.keptTable)))
    try relationships.readPairs()
    try dropTriggers()
    // New tables may have the names of old ones.
    let names = try setAside(tables)
    try run(tables, names.merging(try renameKept(tables)) { aside, _ in aside })
    try remove(names)
    try relationships.writePairs()
    try relationships.dropLostMembers()
    try relationships.completeColumns()
    try report(0.8)
    // Create the schema only now that the rows are in place, because moving them must not run triggers.
    try makeSchema(statements)
    try report(0.95)
    try writeRecords()
    try migrateHistory()
    try MigratedValues(self).run()
    // Unique values may repeat while rows are moved and derived values are computed.
    try makeUniqueIndexes(statements)
    try requireValues()
    // The file's own code runs from here on, so the limits no longer include the writes of the migration.
    try connection.clock?.beginTransaction(on: connection)
    // This is the last change, because no other change may run the user's triggers.
    try own.restore(tables)
    // Rolls back if the migrated store cannot be read.
    _ = try SchemaReader(connection: connection, url: url)
      .schema(of: sources.new, stored: StoreMetadata.read(on: connection, url: url))
  }

  /// The bytes of the smallest rows.
  private static let smallestRow = 8

  /// Returns how many times the migration itself may write all values of the store, so that limits on code in the
  /// file do not apply to it: each table, index and derived attribute of the model may contain every value, and each
  /// row gets the default values of new attributes.
  private func ownWrites(_ statements: [String]) -> Int {
    let slots = plan.model.entities.flatMap { layout in
      StoreSchemaPlan.ownSlots(layout).map { layout.slots[$0] }
    }
    return slots.reduce(statements.count) { count, slot in
      count + (slot.property is NSDerivedAttributeDescription ? 1 : 0)
        + SQLText.literal(slot.keptDefault).utf8.count / Self.smallestRow
    }
  }

  private func run(_ tables: [TableMigration], _ names: [String: String]) throws {
    // Counting the rows would take time, so the greatest key assigned so far serves as an estimate of their number.
    let sizes = try plan.tables.map { table -> Double in
      guard let source = table.root.family.lazy.compactMap({ sources.source(of: $0)?.root }).first
      else { return 0 }
      return Double(
        try connection.integer(
          "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = \(SQLText.literal(.text(source.name)))")
          ?? 0)
    }
    let total = max(sizes.reduce(0, +), 1)
    var done = 0.0
    for (table, size) in zip(tables, sizes) {
      try table.run(names)
      done += size
      try report(0.75 * done / total)
    }
  }

  /// - Throws: If the migration was cancelled.
  private func report(_ fraction: Double) throws {
    settings.report?(fraction)
    // SQLite interrupts a statement that is running. This check is for a cancellation between two statements.
    if connection.interruption?.isCancelled == true { throw CocoaError(.userCancelled) }
  }

  private func remove(_ names: [String: String]) throws {
    for name in names.values.sorted() {
      if settings.defersCleaning {
        try MigrationRemains(connection: connection).keep(name)
      } else {
        try connection.execute("DROP TABLE \(SQLText.name(name))")
      }
    }
  }

  /// - Throws: `NSMigrationError` if rows have no value for a required property. If the program was responsible for
  ///   setting the values (`isPrepared`), all properties are checked; otherwise only to-one relationships that were
  ///   optional before.
  private func requireValues() throws {
    for table in plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout).map({ layout.slots[$0] })
        where !slot.isOptional && slot.composite == nil
          && (settings.isPrepared || becomesRequired(slot, layout))
        {
          guard let column = plan.mappings[layout.index][slot.index].column else { continue }
          let count = try connection.integer(
            "SELECT COUNT(*) FROM \(SQLText.name(table.name)) WHERE \(SQLText.name(column)) IS NULL"
              + " AND Z_ENT IN (\(numbers(layout)))")
          guard let count, count > 0 else { continue }
          throw CoreDataError.make(
            NSMigrationError,
            "\(layout.name).\(slot.name) requires a value, which \(MessageText.rows(count)) of \(url.path) would lack",
            at: url.path)
        }
      }
    }
  }

  private func becomesRequired(_ slot: PropertySlot, _ layout: EntityLayout) -> Bool {
    guard slot.kind == .toOne else { return false }
    return layout.family.contains { member in
      guard let source = sources.source(of: member),
        let number = sources.slot(slot.index, of: member)
      else { return false }
      return source.slots[number].isOptional && source.slots[number].relationship != nil
    }
  }

  /// Renames the altered tables that get new names to temporary ones, because two tables may exchange their names.
  ///
  /// - Returns: The temporary names.
  private func renameKept(_ tables: [TableMigration]) throws -> [String: String] {
    var names: [String: String] = [:]
    for table in tables {
      guard let kept = table.keptTable, kept != table.name else { continue }
      let name = "OpenCoreData_kept_\(names.count)"
      try connection.execute("ALTER TABLE \(SQLText.name(kept)) RENAME TO \(SQLText.name(name))")
      names[kept] = name
    }
    return names
  }

  /// Renames the tables that are created again or no longer needed.
  ///
  /// - Returns: The temporary names.
  private func setAside(_ tables: [TableMigration]) throws -> [String: String] {
    let kept = Set(tables.compactMap(\.keptTable))
    var names: [String: String] = [:]
    // A table that is created again is renamed only temporarily, so foreign keys of the user must keep its name.
    try connection.execute("PRAGMA legacy_alter_table = ON")
    defer { connection.endLegacyRenaming() }
    for table in Set(old.tables.compactMap { $0 }).subtracting(kept).sorted() {
      let name = "OpenCoreData_old_\(names.count)"
      try dropIndexes(of: table)
      try connection.execute("ALTER TABLE \(SQLText.name(table)) RENAME TO \(SQLText.name(name))")
      names[table] = name
    }
    return names
  }
}
