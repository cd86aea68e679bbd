import StoreEngine

/// Makes a store of one model a store of another, inside the transaction that its connection is in: no
/// object is loaded, and rows keep their keys.
///
/// For changes that are lightweight: what becomes of each value is known from the two models. A table whose
/// columns only get other names or company is altered; another one is made anew of its rows.
///
/// Everything that the new model needs is worked out before the first statement changes anything.
///
/// ``MigrationSources`` says which old slot each new slot gets its values from. ``TableMigration`` moves the rows,
/// and ``RelationshipMigration`` the relationships that the new model keeps in another place. The schema, the store's
/// records and its history follow from the new model. `RandomMigrationTests` compares chains of random models with
/// plain dictionaries and with the schema of a new store.
struct InPlaceMigration {
  let connection: SQLiteConnection
  let url: URL
  let sources: MigrationSources
  /// Where the old model's values are.
  let old: StoreSchema
  /// What a new store of the old model has.
  let oldPlan: StoreSchemaPlan
  /// Where the new model's go.
  let plan: StoreSchemaPlan
  /// The columns of the new tables in which rows name the owner of a relationship that has no inverse, by the
  /// indexes of the tables' roots.
  private let ownerColumns: [Int: [OwnerColumn]]
  /// The store's metadata as they were.
  let metadata: [String: Any]
  let settings: MigrationSettings
  /// Tables that have more than the old model says: constraints of their own, or columns of no slot.
  let tablesWithMore: Set<String>

  /// Where rows name the owner of a relationship that has no inverse.
  typealias OwnerColumn = (layout: EntityLayout, slot: Int, column: String, order: String?)

  /// - Parameter names: the entities that the store is to keep.
  init(
    _ sources: MigrationSources, keeping names: [String], on connection: SQLiteConnection,
    _ url: URL, _ settings: MigrationSettings
  ) throws {
    self.connection = connection
    self.url = url
    self.settings = settings
    self.sources = sources
    metadata = try StoreMetadata.read(on: connection, url: url)
    old = try SchemaReader(connection: connection, url: url, comparesCase: true)
      .schema(of: sources.old, stored: metadata)
    plan = StoreSchemaPlan(
      model: sources.new, numbers: StoreSchemaPlan.numbers(of: sources.new, entities: Set(names)))
    oldPlan = StoreSchemaPlan(model: sources.old, numbers: old.numbers)
    ownerColumns = Self.ownerColumns(of: plan)
    try Self.requireKept(sources, old, plan, connection, url)
    // What an earlier migration left has names that this one may need.
    let present = StoreSchemaPlan(old)
    let remains = MigrationRemains(connection: connection)
    try remains.removeAll(but: present)
    // The columns of stores from before iOS 11 may demand something by themselves.
    let constrained = try connection.texts(
      "SELECT tbl_name FROM sqlite_schema WHERE type = 'index' AND sql IS NULL")
    tablesWithMore = try remains.tables(besides: present).union(constrained)
  }

  /// - Throws: `NSMigrationError` where rows would go whose entity the new model has, and this store is not to
  ///   keep: it was opened with another configuration.
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
        "the store \(url.path) has \(count) rows of \(layout.name), which is not of the configuration"
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

  /// The columns of a new table in which rows name the owner of a relationship that has no inverse.
  func ownerColumns(in root: EntityLayout) -> [OwnerColumn] { ownerColumns[root.index] ?? [] }

  /// Changes the store. Nothing is changed for good before the transaction ends.
  func run() throws {
    let relationships = RelationshipMigration(self)
    let tables = plan.tables.map { TableMigration($0, in: self) }
    let statements = try SchemaBuilder(plan: plan).statements()
    let own = try OwnSchema(
      removedFrom: self, keeping: relationships.keptJoins.union(tables.compactMap(\.keptTable)))
    try relationships.readPairs()
    try dropTriggers()
    let names = try setAside(tables)
    try run(tables, names.merging(try renameKept(tables)) { aside, _ in aside })
    try remove(names)
    try relationships.writePairs()
    try relationships.dropLostMembers()
    try relationships.completeColumns()
    try report(0.8)
    try makeSchema(statements)
    try report(0.95)
    try writeRecords()
    try migrateHistory()
    try MigratedValues(self).run()
    try requireValues()
    try own.restore(tables)
    // What cannot be read afterwards is not left behind.
    _ = try SchemaReader(connection: connection, url: url)
      .schema(of: sources.new, stored: StoreMetadata.read(on: connection, url: url))
  }

  private func run(_ tables: [TableMigration], _ names: [String: String]) throws {
    // The next keys tell about how many rows there are, without counting them.
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

  /// - Throws: when nobody waits for the migration any more.
  private func report(_ fraction: Double) throws {
    settings.report?(fraction)
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

  /// - Throws: `NSMigrationError` where rows have no value for what is required: for all of it where the program was to give
  ///   them one, else for what leads to one object and was not required before.
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
            "\(layout.name).\(slot.name) requires a value, and \(count) rows of \(url.path) have none",
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

  /// Takes their names from altered tables that get others: two may take each other's.
  ///
  /// - Returns: what they are called meanwhile.
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

  /// Puts the tables out of the way that are made anew or not needed any more.
  ///
  /// - Returns: what they are called meanwhile.
  private func setAside(_ tables: [TableMigration]) throws -> [String: String] {
    let kept = Set(tables.compactMap(\.keptTable))
    var names: [String: String] = [:]
    // A table that is made anew has its old name for a moment only: foreign keys of the user's own go on
    // meaning the name.
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

extension SQLiteConnection {
  /// Tables that get another name have it in views and foreign keys as well again.
  fileprivate func endLegacyRenaming() {
    do { try execute("PRAGMA legacy_alter_table = OFF") } catch {
      // The connection is used for nothing else.
      Log.storeError("legacy_alter_table: \(error)")
    }
  }
}
