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
    let table: String
    let column: String
    /// The number of the rows' entity in the store.
    let entity: Int
    /// The value for a row of the table.
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
      Rule(table: own, column: SQLText.name(column), entity: entity, value: $0)
    }
  }

  private static func sum(
    _ slot: PropertySlot, of layout: EntityLayout, _ schema: StoreSchema, row: String
  ) -> SQLText? {
    guard let derived = slot.property as? NSDerivedAttributeDescription,
      derived.filterText == nil, let text = derived.derivationText,
      case .function("sum:", let arguments) = DerivationExpression(text: text),
      let steps = arguments.first?.split(separator: ".").map(String.init), steps.count == 2,
      let relationship = layout.slotNumbers[steps[0]],
      let destination = layout.slots[relationship].relationship?.destination,
      schema.contains(destination), let source = destination.slotNumbers[steps[1]],
      isFraction(destination.slots[source]),
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

  /// The maximum number of passes for values that are derived from other derived values.
  static let depth = 8

  /// Computes the values of affected rows in the open transaction.
  func refresh(_ schema: StoreSchema, on connection: SQLiteConnection) throws {
    if names.isEmpty { return }
    // Writing a value runs triggers, which may report rows whose values are derived from it.
    for _ in 0..<Self.depth {
      var keys: [Int: [Int64]] = [:]
      let followed = connection.affected.drainFollowed()
      for (row, names) in followed.names {
        guard let layout = schema.layout(number: row.entity) else { continue }
        for name in names {
          if let place = places[layout.index]?[name] { keys[place, default: []].append(row.key) }
        }
      }
      var conditions = keys.mapValues { SQLText("Z_PK ", SQLiteStore.keyCondition($0), "") }
      for name in followed.unlimited {
        for place in places.values.compactMap({ $0[name] }) {
          conditions[place] = SQLText(
            "Z_ENT = ?", parameters: [.integer(Int64(rules[place].entity))])
        }
      }
      if conditions.isEmpty { return }
      for (place, condition) in conditions.sorted(by: { $0.key < $1.key }) {
        let rule = rules[place]
        try connection.run(
          SQLText(
            "UPDATE \(rule.table) SET \(rule.column) = ", rule.value, " WHERE ", condition, ""))
      }
    }
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
