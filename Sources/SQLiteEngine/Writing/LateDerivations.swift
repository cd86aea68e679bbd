import StoreEngine

/// Derived attributes whose values a transaction computes at its end: once for each affected row instead of once for
/// each member that it writes.
///
/// * Sums of fractions. Their triggers add and subtract as those of integers do, in every program that writes to the
///   file. But subtracting from a rounded sum does not undo an addition, and an infinite sum stays infinite.
/// * Expressions. SQLite does not let triggers call this library's functions, and Apple's Core Data, which may also
///   write to the file, has different functions. So the triggers only report the rows.
struct LateDerivations: @unchecked Sendable {
  private struct Rule {
    /// The names of the entity and the attribute, for messages.
    let name: String
    let table: String
    let column: String
    /// The number of the rows' entity in the store.
    let entity: Int
    /// The SQL of the value for a row of the table.
    let value: SQLText
  }

  private let rules: [Rule]
  /// The index of the rule by entity index and attribute name.
  private let places: [Int: [String: Int]]
  /// The names of the attributes.
  let names: Set<String>

  init(_ schema: StoreSchema) {
    var rules: [Rule] = []
    var places: [Int: [String: Int]] = [:]
    for layout in schema.model.entities
    where layout.hasDerivedAttributes && schema.contains(layout) {
      for slot in layout.slots {
        guard let rule = Self.rule(slot, of: layout, schema) else { continue }
        places[layout.index, default: [:]][slot.name] = rules.count
        rules.append(rule)
      }
    }
    self.rules = rules
    self.places = places
    names = Set(places.values.flatMap(\.keys))
  }

  private static func rule(
    _ slot: PropertySlot, of layout: EntityLayout, _ schema: StoreSchema
  ) -> Rule? {
    guard case .attribute(let column) = schema.mapping(layout, slot.index),
      let table = try? schema.table(layout), let entity = schema.numbers[layout.index]
    else { return nil }
    let own = SQLText.name(table)
    var value = sum(slot, of: layout, schema, row: own)
    if let derivation = layout.derivations.ofExpressions.first(where: { $0.slot == slot.index }) {
      do {
        value = try derivation.value(in: layout, schema, row: own)
      } catch {
        // A store of a configuration may lack an entity in the expression.
        Log.modelNotice(
          "the derived attribute \(layout.name).\(slot.name) is not kept up to date:"
            + " \(error.localizedDescription)")
      }
    }
    return value.map {
      Rule(
        name: "\(layout.name).\(slot.name)", table: own, column: SQLText.name(column),
        entity: entity, value: $0)
    }
  }

  private static func sum(
    _ slot: PropertySlot, of layout: EntityLayout, _ schema: StoreSchema, row: String
  ) -> SQLText? {
    guard
      let derivation = layout.derivations.ofStore.first(where: { $0.slot == slot.index }),
      case .members(let relationship, "sum:", let source?) = derivation.source,
      let destination = layout.slots[relationship].relationship?.destination,
      schema.contains(destination), isFraction(destination.slots[source]),
      case .children(let key, _, _) = schema.mapping(layout, relationship),
      case .attribute(let value) = schema.mapping(destination, source),
      let members = try? schema.table(destination)
    else { return nil }
    return SQLText(
      "(SELECT IFNULL(SUM(d.\(SQLText.name(value))), 0) FROM \(SQLText.name(members)) d"
        + " WHERE d.\(SQLText.name(key)) = \(row).Z_PK)")
  }

  private static func isFraction(_ slot: PropertySlot) -> Bool {
    switch (slot.property as? NSAttributeDescription)?.attributeType {
    case .floatAttributeType, .doubleAttributeType, .decimalAttributeType: true
    default: false
    }
  }

  /// The rows of an entity whose values are computed.
  private enum Rows {
    case keys([Int64])
    case all
  }

  /// The value of a rule for one row.
  private struct Value: Hashable {
    let place: Int
    let key: Int64
  }

  /// Computes the values of affected rows in the open transaction.
  ///
  /// - Throws: `NSPersistentStoreOperationError` if a value depends on itself, because relationships lead from an
  ///   object back to itself.
  func refresh(_ schema: StoreSchema, on connection: SQLiteConnection) throws {
    if names.isEmpty { return }
    var values: Set<Value> = []
    var sizes: [Int: Int] = [:]
    // Writing a value runs triggers, which may report rows whose values are derived from it.
    for pass in 1... {
      let affected = rows(connection.affected.drainFollowed(), schema)
      if affected.isEmpty { return }
      for (place, rows) in affected {
        switch rows {
        case .keys(let keys): values.formUnion(keys.lazy.map { Value(place: place, key: $0) })
        case .all: sizes[place] = try sizes[place] ?? rowCount(rules[place], on: connection)
        }
      }
      // Each pass computes values that depend on those of the previous pass. If no value depends on itself, these are
      // different values, so there cannot be more passes than values.
      if pass > values.count + sizes.values.reduce(0, +) { throw circle(affected) }
      for (place, rows) in affected.sorted(by: { $0.key < $1.key }) {
        try compute(rules[place], rows, on: connection)
      }
    }
  }

  /// Returns the affected rows by the index of their rule.
  private func rows(_ followed: AffectedRows.FollowedRows, _ schema: StoreSchema) -> [Int: Rows] {
    var keys: [Int: [Int64]] = [:]
    for (row, names) in followed.names {
      guard let layout = schema.layout(number: row.entity) else { continue }
      for name in names {
        if let place = places[layout.index]?[name] { keys[place, default: []].append(row.key) }
      }
    }
    var rows = keys.mapValues { Rows.keys($0) }
    for name in followed.unlimited {
      for place in places.values.compactMap({ $0[name] }) { rows[place] = .all }
    }
    return rows
  }

  private func rowCount(_ rule: Rule, on connection: SQLiteConnection) throws -> Int {
    Int(
      try connection.integer(
        "SELECT COUNT(*) FROM \(rule.table) WHERE Z_ENT = ?", [.integer(Int64(rule.entity))]) ?? 0)
  }

  private func compute(_ rule: Rule, _ rows: Rows, on connection: SQLiteConnection) throws {
    let condition =
      switch rows {
      case .keys(let keys): SQLText("Z_PK ", SQLiteStore.keyCondition(keys), "")
      case .all: SQLText("Z_ENT = ?", parameters: [.integer(Int64(rule.entity))])
      }
    try connection.setDerivedValues(
      of: rule.column, in: rule.table,
      to: SQLText("SELECT Z_PK, ", rule.value, " FROM \(rule.table) WHERE ", condition, ""))
  }

  private func circle(_ affected: [Int: Rows]) -> NSError {
    let descriptions = affected.sorted { $0.key < $1.key }.map { place, rows in
      guard case .keys(let keys) = rows, let key = keys.min() else { return rules[place].name }
      return "\(rules[place].name) (key \(key))"
    }
    return CoreDataError.make(
      NSPersistentStoreOperationError,
      "derived values depend on themselves, because relationships lead from an object back to itself:"
        + " \(descriptions.joined(separator: ", "))")
  }
}

extension SQLiteConnection {
  /// Sets the values of a column. Writes only the rows that have another value, because triggers report each row that
  /// is written.
  ///
  /// - Parameters:
  ///   - column: The column, as a quoted name.
  ///   - table: The table, as a quoted name.
  ///   - values: A statement that returns keys and values.
  func setDerivedValues(of column: String, in table: String, to values: SQLText) throws {
    try run(
      SQLText(
        "WITH OpenCoreData_derived (pk, value) AS MATERIALIZED (", values,
        ") UPDATE \(table) SET \(column) = d.value FROM OpenCoreData_derived AS d"
          + " WHERE \(table).Z_PK = d.pk AND \(table).\(column) IS NOT d.value"))
  }
}

extension ExpressionDerivation {
  /// Returns the value of one row of the entity's table as a subquery.
  ///
  /// - Parameter row: The name of the row in the outer statement.
  func value(in layout: EntityLayout, _ schema: StoreSchema, row: String) throws -> SQLText {
    let plan = RowQuery(layout: layout)
    let isFiltered = schema.entityFilter(plan.layouts, root: layout.root) != nil
    var builder = SelectBuilder(schema: schema, origin: .temporary, dialect: SQLiteDialect())
    let select = try builder.select(
      plan,
      tail: { _, alias in
        SQLText("\(isFiltered ? " AND" : " WHERE") \(alias).Z_PK = \(row).Z_PK")
      },
      columns: { builder, _ in
        builder.dialect.fitted(try builder.sql(expression), expression.kind, layout.slots[slot])
      })
    return SQLText("(", select, ")")
  }
}
