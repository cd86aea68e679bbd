import StoreEngine

/// Computes the values that a statement cannot copy from an old column to a new one: derived values, and the values of
/// attributes for which the new model turns external storage on or off.
struct MigratedValues {
  private let migration: InPlaceMigration
  private let schema: StoreSchema

  init(_ migration: InPlaceMigration) {
    self.migration = migration
    schema = migration.plan.schema()
  }

  private var connection: SQLiteConnection { migration.connection }

  func run() throws {
    let late = LateDerivations(schema)
    connection.affected.follow(late.names)
    for table in migration.plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout).map({ layout.slots[$0] }) {
          guard case .attribute(let column) = schema.mapping(layout, slot.index) else { continue }
          if needsComputing(slot, layout) {
            try compute(slot, layout, table.name, column)
          } else {
            try mark(slot, layout, table.name, column)
          }
        }
      }
    }
    // Some values are derived from derived values that were computed after them. Triggers have reported these rows.
    try late.refresh(schema, on: connection)
  }

  // MARK: Derived values

  /// Returns whether an attribute must be computed. Every derived attribute must be, except that the time of the last
  /// change keeps its old value if there is one.
  private func needsComputing(_ slot: PropertySlot, _ layout: EntityLayout) -> Bool {
    guard slot.property is NSDerivedAttributeDescription else { return false }
    // Removed rows and members, and new default values, change derived values without a trigger.
    guard case .time = RowDerivation(slot, in: layout)?.source else { return true }
    return !layout.family.contains { member in
      source(slot, member).map { !slot.needsRecomputing(from: $0) } ?? false
    }
  }

  /// Returns the attribute of the old model from which an attribute of an entity gets its values; nil if there is none.
  private func source(_ slot: PropertySlot, _ layout: EntityLayout) -> PropertySlot? {
    guard let source = migration.sources.source(of: layout) else { return nil }
    return migration.sources.slot(slot.index, of: layout).map { source.slots[$0] }
  }

  private func compute(
    _ slot: PropertySlot, _ layout: EntityLayout, _ table: String, _ column: String
  ) throws {
    // Any other derived attribute has no value, which was logged when its triggers were omitted.
    guard layout.derivations.slots.contains(slot.index) else { return }
    let values: SQLText
    do { values = try self.values(of: slot, in: layout) } catch {
      // The expression may refer to an entity that is not in the store's configuration.
      return Log.modelNotice(
        "the derived attribute \(layout.name).\(slot.name) is not computed:"
          + " \(error.localizedDescription)")
    }
    try connection.setDerivedValues(
      of: SQLText.name(column), in: SQLText.name(table), to: values)
  }

  /// Returns the statement that returns the keys of an entity's rows, and the values of a derived attribute.
  private func values(of slot: PropertySlot, in layout: EntityLayout) throws -> SQLText {
    var builder = SelectBuilder(schema: schema, origin: .temporary, dialect: SQLiteDialect())
    func select(_ value: (inout SelectBuilder) throws -> SQLText) throws -> SQLText {
      try builder.select(
        RowQuery(layout: layout), tail: { _, _ in SQLText() },
        columns: { builder, alias in SQLText("\(alias).Z_PK, ", try value(&builder), "") })
    }
    if case .time = RowDerivation(slot, in: layout)?.source {
      let now = SQLText.literal(.double(Date().timeIntervalSinceReferenceDate))
      return try select { _ in SQLText(now) }
    }
    if let late = layout.derivations.ofExpressions.first(where: { $0.slot == slot.index }) {
      // The value is converted to the form of the attribute's column.
      return try select { builder in
        builder.dialect.fitted(try builder.sql(late.expression), late.expression.kind, slot)
      }
    }
    let expression = try ExpressionDerivation.expression(of: slot, in: layout)
    return try select { try $0.sql(expression) }
  }

  // MARK: Values in files

  /// If an attribute's values may now be in files, adds the marks of values that are in their rows. If they may no
  /// longer be in files, removes the marks and moves values from files into their rows.
  private func mark(
    _ slot: PropertySlot, _ layout: EntityLayout, _ table: String, _ column: String
  ) throws {
    // Old attributes of different subentities may have been stored differently.
    let members = layout.family.filter { member in
      source(slot, member).map { $0.mayBeExternal != slot.mayBeExternal }
        ?? false
    }
    if members.isEmpty { return }
    let numbers = members.compactMap { migration.plan.numbers[$0.index].map(String.init) }
      .joined(separator: ", ")
    let storage = ExternalStorage(store: migration.url)
    let (table, column) = (SQLText.name(table), SQLText.name(column))
    // Read one row at a time, because values may be large.
    func next(after key: Int64) throws -> (key: Int64, value: Data?)? {
      try connection.rows(
        "SELECT Z_PK, \(column) FROM \(table) WHERE \(column) IS NOT NULL AND Z_PK > ?1"
          + " AND Z_ENT IN (\(numbers)) ORDER BY Z_PK LIMIT 1", [.integer(key)]
      ) { row in
        let bytes = try row.blob(1)
        let value = slot.mayBeExternal ? ExternalStorage.marked(Data(bytes)) : storage.value(bytes)
        return (key: row.integer(0), value: value)
      }.first
    }
    var last = Int64.min
    while let (key, value) = try next(after: last) {
      last = key
      guard let value else {
        throw CoreDataError.make(
          NSMigrationError,
          "\(layout.name).\(slot.name) of row \(last) of \(migration.url.path) is in a file that cannot be"
            + " read", at: migration.url.path)
      }
      try connection.run(
        "UPDATE \(table) SET \(column) = ?2 WHERE Z_PK = ?1", [.integer(key), .data(value)])
    }
  }
}
