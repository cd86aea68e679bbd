import StoreEngine

/// Computes the values that a statement cannot copy from an old column to a new one: derived values, and the values of
/// attributes whose values may now be in files, or no longer may.
struct MigratedValues {
  private let migration: InPlaceMigration
  private let schema: StoreSchema

  init(_ migration: InPlaceMigration) {
    self.migration = migration
    schema = migration.plan.schema()
  }

  private var connection: SQLiteConnection { migration.connection }

  func run() throws {
    var again: [() throws -> Void] = []
    for table in migration.plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout).map({ layout.slots[$0] }) {
          guard case .attribute(let column) = schema.mapping(layout, slot.index) else { continue }
          if needsComputing(slot, layout) {
            try compute(slot, layout, table.name, column)
            if readsDerivedValues(slot, layout) {
              again.append { try compute(slot, layout, table.name, column) }
            }
          } else {
            try mark(slot, layout, table.name, column)
          }
        }
      }
    }
    // These values are derived from derived values, which may not have been computed yet in the first pass.
    for _ in 0..<min(again.count, LateDerivations.depth) {
      for compute in again { try compute() }
    }
  }

  // MARK: Derived values

  private func readsDerivedValues(_ slot: PropertySlot, _ layout: EntityLayout) -> Bool {
    guard let expression = try? ExpressionDerivation.expression(of: slot, in: layout) else {
      return false
    }
    return RelationshipDependency.sources(of: expression).includeDerivedValues(of: layout)
  }

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
    guard let derived = slot.property as? NSDerivedAttributeDescription, derived.filterText == nil,
      derived.derivationText != nil
    else { return }
    let rows = "temp.OpenCoreData_derived"
    try connection.execute("DROP TABLE IF EXISTS \(rows)")
    try connection.execute("CREATE TABLE \(rows) (pk INTEGER PRIMARY KEY, value)")
    var text = SQLText("INSERT INTO \(rows) ")
    var builder = SelectBuilder(schema: schema, origin: .temporary, dialect: SQLiteDialect())
    if case .time = RowDerivation(slot, in: layout)?.source {
      let now = SQLText.literal(.double(Date().timeIntervalSinceReferenceDate))
      text += try builder.select(
        RowQuery(layout: layout), tail: { _, _ in SQLText() },
        columns: { _, alias in SQLText("\(alias).Z_PK, \(now)") })
    } else {
      let bound: BoundExpression
      do {
        bound = try ExpressionDerivation.expression(of: slot, in: layout)
      } catch {
        // A new store of a compiled model also omits such an attribute from its triggers and logs it.
        return Log.modelNotice(
          "the derived attribute \(layout.name).\(slot.name) is not computed:"
            + " \(error.localizedDescription)")
      }
      text += try builder.select(
        RowQuery(layout: layout), tail: { _, _ in SQLText() },
        columns: { builder, alias in
          var columns = SQLText("\(alias).Z_PK, ")
          let value = try builder.sql(bound)
          // The value of a derivation by an expression is converted to the form of the attribute's column.
          let isLate = layout.derivations.ofExpressions.contains { $0.slot == slot.index }
          columns += isLate ? builder.dialect.fitted(value, bound.kind, slot) : value
          return columns
        })
    }
    try connection.run(text)
    try connection.execute(
      "UPDATE \(SQLText.name(table)) SET \(SQLText.name(column)) = r.value FROM \(rows) AS r"
        + " WHERE r.pk = \(SQLText.name(table)).Z_PK")
    try connection.execute("DROP TABLE \(rows)")
  }

  // MARK: Values in files

  /// If an attribute's values may now be in files, adds the marks that show that they are in their rows. If the values
  /// may no longer be in files, removes the marks and moves values from files into their rows.
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
