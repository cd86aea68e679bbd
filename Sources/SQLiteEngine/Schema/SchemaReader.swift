import StoreEngine

/// Finds the tables and columns of a model in an existing store.
struct SchemaReader {
  let connection: SQLiteConnection
  let url: URL
  /// Whether missing parts of the model are omitted, for a store that is only read.
  var isLenient = false
  /// Whether names that differ in case are distinguished. A migration needs this, because it looks up tables and
  /// indexes by name.
  var comparesCase = false

  /// Returns the numbers of the store's entities from `Z_PRIMARYKEY`, without those of the history.
  ///
  /// Empty if the store is only read, and the table or one of the two columns is missing.
  func entityNumbers() throws -> [String: Int] {
    if isLenient, try !hasPrimaryKeyTable() { return [:] }
    var numbers: [String: Int] = [:]
    try connection.run("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY") { statement in
      guard let name = statement.optionalText(0) else { return }
      let number = Int(truncatingIfNeeded: statement.integer(1))
      if number < 16_000 { numbers[name] = number }
    }
    return numbers
  }

  private func hasPrimaryKeyTable() throws -> Bool {
    try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'"
        + " AND m.name = 'Z_PRIMARYKEY' COLLATE NOCASE AND UPPER(c.name) IN ('Z_NAME', 'Z_ENT')")
      == 2
  }

  /// Returns the numbers of a model's entities by entity index.
  ///
  /// A migration that renamed an entity may have left its old name in `Z_PRIMARYKEY`. Then the expected number of the
  /// entity belongs to a name that the model does not contain.
  private func numbers(of model: ModelLayout) throws -> [Int?] {
    let known = try entityNumbers()
    let numbers = model.entities.map { known[$0.name] }
    guard numbers.contains(nil), known.count == model.entities.count else { return numbers }
    let names = Set(model.entities.map(\.name))
    let expected = StoreSchemaPlan.numbers(of: model, entities: names)
    let free = Set(known.filter { !names.contains($0.key) }.values)
    return zip(numbers, expected).map { number, expected in
      number ?? expected.flatMap { free.contains($0) ? $0 : nil }
    }
  }

  /// Returns the columns of every table of the file, including R-trees.
  ///
  /// Omits other virtual tables, which are not tables of an entity.
  func tables() throws -> [String: [String]] {
    var tables: [String: [String]] = [:]
    try connection.run(
      "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain)"
        + " ORDER BY m.name, c.cid"
    ) { tables[$0.text(0), default: []].append($0.text(1)) }
    for tree in try SpecialTable.all(on: connection) where tree.isRTree {
      tables[tree.name] = try connection.texts(
        "SELECT name FROM pragma_table_info(?) ORDER BY cid", [.text(tree.name)])
    }
    return tables
  }

  /// Returns the schema of a model in this store.
  ///
  /// - Parameter stored: The store's metadata, which lists its entities; nil if it is unreadable.
  /// - Throws: Unless `isLenient` is `true`, an error if the store contains an entity without a number, and
  ///   `NSPersistentStoreIncompatibleSchemaError` with each table or column that the model requires and the store
  ///   lacks.
  func schema(of model: ModelLayout, stored metadata: [String: Any]?) throws -> StoreSchema {
    let present = try tables()
    let tables = comparesCase ? present : Self.comparable(present)
    var numbers = try numbers(of: model)
    let hashes = metadata?[NSStoreModelVersionHashesKey] as? [String: Any]
    let stored = hashes ?? [:]
    var missingParts: [StoreSchema.MissingPart] = []
    if isLenient {
      (numbers, missingParts) = try recovered(numbers, of: model, in: tables, hashes: hashes)
    }
    for layout in model.entities
    where numbers[layout.index] == nil && stored[layout.name] != nil && !isLenient {
      throw StoreErrors.damaged(url, "Z_PRIMARYKEY has no row for entity \(layout.name)")
    }
    var plan = StoreSchemaPlan(model: model, numbers: numbers)
    var missing: [StoreSchema.MissingPart] = []
    for table in plan.tables {
      guard let columns = tables[table.name].map(Set.init) else {
        missing.append(StoreSchema.MissingPart(kind: .table(table.name), entity: table.root))
        continue
      }
      for name in StoreSchema.OwnColumns.apple.names where !columns.contains(name) {
        missing.append(
          StoreSchema.MissingPart(kind: .column("\(table.name).\(name)"), entity: table.root))
      }
      for column in table.columns where !columns.contains(column.name) {
        let owner = plan.numbers.firstIndex(of: column.owner).map { model.entities[$0] }
        let entity = owner ?? table.root
        missing.append(
          StoreSchema.MissingPart(
            kind: .column("\(table.name).\(column.name)"), entity: entity,
            slot: entity.slots.first { $0.name == column.sortName }?.index))
      }
    }
    for join in plan.joins {
      if let found = find(join, in: tables, plan: plan) {
        guard !found.isReflexive, let relationship = join.layout.slots[join.slot].relationship,
          let inverse = relationship.inverse
        else {
          plan.replace(.join(found), join.layout, join.slot)
          continue
        }
        let other = StoreSchemaPlan.declaringEntity(of: inverse, in: relationship.destination)
        plan.setJoin(found, join.layout, join.slot, other, inverse)
      } else {
        missing.append(
          StoreSchema.MissingPart(
            kind: .table(join.join.table), entity: join.layout, slot: join.slot))
      }
    }
    if isLenient, !missing.isEmpty { leaveOut(from: &plan, tables) }
    plan.inheritMappings()
    if isLenient, !missing.isEmpty {
      Log.storeNotice(
        "the store \(url.path) lacks what the model needs, and is read without it:"
          + " \(missing.map(\.description).joined(separator: ", "))")
      for table in plan.tables where tables[table.name]?.contains("Z_ENT") == false {
        guard !table.root.sublayouts.isEmpty else { continue }
        Log.storeNotice(
          "the rows of \(table.name) in \(url.path) do not contain their entities: all are read as"
            + " \(table.root.name)")
      }
    } else if !missing.isEmpty {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "the store \(url.path) lacks what the model needs:"
          + " \(missing.map(\.description).joined(separator: ", "))", at: url.path)
    }
    // The names of R-trees are those of entities and indexes, so their case matters.
    return plan.schema(rTrees: Self.rTrees(present), missingParts: missingParts + missing)
  }

  /// Returns the tables and columns with their names in uppercase, for comparisons. SQLite ignores the case of ASCII
  /// letters in names, and Core Data writes uppercase names.
  private static func comparable(_ tables: [String: [String]]) -> [String: [String]] {
    let isUsual = tables.allSatisfy { table, columns in
      table.hasNoASCIILowercase && columns.allSatisfy(\.hasNoASCIILowercase)
    }
    // Most stores have only uppercase names, which need not be copied.
    if isUsual { return tables }
    return Dictionary(
      tables.map { ($0.key.asciiUppercased, $0.value.map(\.asciiUppercased)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Returns the R-trees of fetch indexes among the tables of a file, with their columns.
  static func rTrees(_ tables: [String: [String]]) -> [String: Set<String>] {
    tables.filter { $0.key.utf8.starts(with: "Z_RT_".utf8) && $0.value.first == "Z_PK" }
      .mapValues(Set.init)
  }

  /// Returns the join table of two relationships, with the names in the store; nil if there is none.
  ///
  /// In some stores, the side after which the table is named and the column that gets a digit follow no rule, so both
  /// sides are tried and columns are compared by their prefixes.
  private func find(
    _ join: StoreSchemaPlan.JoinPlan, in tables: [String: [String]], plan: StoreSchemaPlan
  ) -> StoreSchema.JoinTable? {
    let expected = join.join
    if expected.isReflexive { return tables[expected.table] == nil ? nil : expected }
    for name in [expected.table, "Z_" + Self.otherTable(join, plan)] {
      guard let columns = tables[name] else { continue }
      let plain = columns.filter { !$0.hasPrefix("Z_FOK_") }
      let orders = columns.filter { $0.hasPrefix("Z_FOK_") }
      guard let owner = Self.match(expected.ownerColumn, plain),
        let member = Self.match(expected.memberColumn, plain.filter { $0 != owner })
      else { continue }
      return StoreSchema.JoinTable(
        table: name, ownerColumn: owner, memberColumn: member,
        memberOrderColumn: orders.first { $0.dropFirst(6) == member.dropFirst(2) },
        ownerOrderColumn: orders.first { $0.dropFirst(6) == owner.dropFirst(2) },
        isReflexive: false)
    }
    return nil
  }

  private static func otherTable(
    _ join: StoreSchemaPlan.JoinPlan, _ plan: StoreSchemaPlan
  ) -> String {
    guard let relationship = join.layout.slots[join.slot].relationship,
      let inverse = relationship.inverse
    else { return "" }
    let other = StoreSchemaPlan.declaringEntity(of: inverse, in: relationship.destination)
    return "\(plan.numbers[other.index] ?? 0)" + other.slots[inverse].name.uppercased()
  }

  /// Returns the column with a name, or else the first one whose name differs only in the digits at its end.
  private static func match(_ name: String, _ columns: [String]) -> String? {
    if columns.contains(name) { return name }
    var base = name[...]
    // The expected name may end with a digit that another column has in the store.
    while base.last?.isNumber == true { base.removeLast() }
    return columns.first { column in
      column.hasPrefix(base) && column.dropFirst(base.count).allSatisfy(\.isNumber)
    }
  }
}
