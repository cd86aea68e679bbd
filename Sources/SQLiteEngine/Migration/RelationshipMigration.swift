import StoreEngine

/// Migrates relationships that the new model stores in other columns or tables: reads the pairs of owner and member
/// before the tables change, and writes them afterwards.
struct RelationshipMigration {
  private let migration: InPlaceMigration
  /// The relationships to migrate.
  private let targets: [Target]
  /// The join tables that stay unchanged.
  let keptJoins: Set<String>
  private let losses: RequiredObjects

  /// A relationship of the new model, its storage, and the query for its pairs in the old store.
  private struct Target {
    let layout: EntityLayout
    let slot: Int
    let storage: Storage
    let pairs: String
    var destination: EntityLayout? { layout.slots[slot].relationship?.destination }

    enum Storage {
      /// The owner's row contains the member.
      case memberKey(column: String, order: String?)
      /// The member's row contains the owner.
      case ownerKey(column: String, order: String?)
      case join(StoreSchema.JoinTable)
    }
  }

  init(_ migration: InPlaceMigration) {
    self.migration = migration
    var targets: [Target] = []
    var keptJoins: Set<String> = []
    for table in migration.plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout) {
          guard case .toOne(let column, _, let order) = migration.plan.mappings[layout.index][slot],
            !migration.hasKeys(layout, slot),
            let pairs = migration.pairs(of: layout, slot)
          else { continue }
          targets.append(
            Target(
              layout: layout, slot: slot, storage: .memberKey(column: column, order: order),
              pairs: pairs))
        }
      }
      for (layout, slot, column, order) in migration.ownerColumns(in: table.root)
      where !migration.hasOwnerColumn(layout, slot) {
        guard let pairs = migration.pairs(of: layout, slot) else { continue }
        targets.append(
          Target(
            layout: layout, slot: slot, storage: .ownerKey(column: column, order: order),
            pairs: pairs))
      }
    }
    for join in migration.plan.joins {
      if let old = migration.oldJoin(join.layout, join.slot), old == join.join {
        keptJoins.insert(old.table)
      } else if let pairs = migration.pairs(of: join.layout, join.slot) {
        targets.append(
          Target(layout: join.layout, slot: join.slot, storage: .join(join.join), pairs: pairs))
      }
    }
    self.targets = targets
    self.keptJoins = keptJoins
    losses = RequiredObjects(migration)
  }

  private var connection: SQLiteConnection { migration.connection }
  private func id(_ name: String) -> String { SQLText.name(name) }
  private func pairs(_ number: Int) -> String { "temp.OpenCoreData_pairs_\(number)" }

  // MARK: Pairs

  /// Reads the pairs, and removes the join tables that do not stay.
  func readPairs() throws {
    try losses.noteObjects()
    for (number, target) in targets.enumerated() {
      try connection.execute("DROP TABLE IF EXISTS \(pairs(number))")
      try connection.execute("CREATE TABLE \(pairs(number)) AS \(target.pairs)")
      for column in ["owner", "member"] {
        try connection.execute(
          "CREATE INDEX temp.OpenCoreData_\(column)_\(number) ON OpenCoreData_pairs_\(number)"
            + " (\(column))")
      }
    }
    for table in migration.oldJoinTables.subtracting(keptJoins).sorted() {
      try connection.execute("DROP TABLE \(id(table))")
    }
  }

  /// Writes the pairs to their new locations.
  func writePairs() throws {
    for (number, target) in targets.enumerated() {
      try deleteLostPairs(target, pairs(number))
      try write(target, pairs(number))
      try connection.execute("DROP TABLE \(pairs(number))")
    }
  }

  /// Deletes the pairs of objects that are gone or no longer belong to the relationship's entities,
  /// so that one of the other pairs is chosen.
  private func deleteLostPairs(_ target: Target, _ pairs: String) throws {
    guard let destination = target.destination else { return }
    try deletePairs(pairs, "owner", unlessOf: target.layout)
    // Only the pairs of lost members show which owners required these members, so the check precedes the deletion of
    // the pairs.
    if case .memberKey = target.storage {
      try losses.require(target.layout, target.slot) {
        let kept = "SELECT owner FROM \(pairs) WHERE member IN (\(try keys(destination)))"
        return "SELECT COUNT(DISTINCT owner) FROM \(pairs) WHERE owner NOT IN (\(kept))"
      }
    }
    try deletePairs(pairs, "member", unlessOf: destination)
  }

  private func deletePairs(
    _ pairs: String, _ column: String, unlessOf layout: EntityLayout
  ) throws {
    try connection.execute("DELETE FROM \(pairs) WHERE \(column) NOT IN (\(try keys(layout)))")
  }

  /// Returns a query for the keys of an entity's rows and those of its subentities.
  private func keys(_ layout: EntityLayout) throws -> String {
    "SELECT Z_PK FROM \(id(try migration.table(layout)))"
      + " WHERE Z_ENT IN (\(migration.numbers(layout)))"
  }

  private func write(_ target: Target, _ pairs: String) throws {
    switch target.storage {
    case .memberKey(let column, let order):
      try fill(
        try migration.table(target.layout), by: "owner", of: pairs, order: "place, member",
        [(column, "member"), (order, "ownerPlace")],
        condition: " AND Z_ENT IN (\(migration.numbers(target.layout)))")
    case .ownerKey(let column, let order):
      guard let destination = target.destination else { return }
      try fill(
        try migration.table(destination), by: "member", of: pairs, order: "owner",
        [(column, "owner"), (order, "place")])
    case .join(let join):
      for statement in SchemaBuilder(plan: migration.plan).create(join) {
        try connection.execute(statement)
      }
      var columns = [join.ownerColumn, join.memberColumn]
      var values = ["owner", "member"]
      if let order = join.memberOrderColumn {
        columns.append(order)
        values.append("place")
      }
      if let order = join.ownerOrderColumn {
        columns.append(order)
        values.append("ownerPlace")
      }
      let names = columns.map(id).joined(separator: ", ")
      try connection.execute(
        "INSERT OR IGNORE INTO \(id(join.table)) (\(names))"
          + " SELECT \(values.joined(separator: ", ")) FROM \(pairs)")
      if join.isReflexive {
        try connection.execute(
          "INSERT OR IGNORE INTO \(id(join.table)) (\(names)) SELECT member, owner FROM \(pairs)")
      }
    }
  }

  /// Fills columns of rows from the first of their pairs.
  ///
  /// - Parameters:
  ///   - key: The side of the pairs that contains the rows.
  ///   - order: The order that determines the first pair.
  private func fill(
    _ table: String, by key: String, of pairs: String, order: String,
    _ columns: [(name: String?, value: String)], condition: String = ""
  ) throws {
    let table = id(table)
    let changes = columns.compactMap { column in
      column.name.map { name in
        "\(id(name)) = (SELECT \(column.value) FROM \(pairs) WHERE \(key) = \(table).Z_PK"
          + " ORDER BY \(order) LIMIT 1)"
      }
    }
    try connection.execute(
      "UPDATE \(table) SET \(changes.joined(separator: ", "))"
        + " WHERE Z_PK IN (SELECT \(key) FROM \(pairs))" + condition)
  }

  // MARK: Lost members

  /// Clears references to members that the migration removed, or that no longer belong to the
  /// destination entity.
  func dropLostMembers() throws {
    for table in migration.plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout) {
          guard case .toOne(let column, _, let order) = migration.plan.mappings[layout.index][slot],
            let relationship = layout.slots[slot].relationship
          else { continue }
          if migration.losesMembers(layout, slot) {
            try losses.require(layout, slot) { were in
              "SELECT COUNT(*) FROM \(id(table.name)) WHERE \(id(column)) IN (SELECT Z_PK FROM \(were))"
                + " AND \(id(column)) NOT IN (\(try keys(relationship.destination)))"
            }
            try clear(
              table.name, column, order,
              where: "\(id(column)) NOT IN (\(try keys(relationship.destination)))")
          }
          try clearReferencesWithoutInverse(layout, slot, column, relationship)
        }
      }
      for (layout, slot, column, order) in migration.ownerColumns(in: table.root)
      where migration.losesRows(layout) || migration.losesMembers(layout, slot) {
        try clear(table.name, column, order, where: "\(id(column)) NOT IN (\(try keys(layout)))")
        guard let destination = layout.slots[slot].relationship?.destination else { continue }
        try clear(
          table.name, column, order, where: "Z_ENT NOT IN (\(migration.numbers(destination)))")
      }
    }
    for join in migration.plan.joins {
      guard let destination = join.layout.slots[join.slot].relationship?.destination else {
        continue
      }
      for (column, layout) in [
        (join.join.ownerColumn, join.layout), (join.join.memberColumn, destination),
      ] where migration.losesRows(layout) || migration.losesMembers(join.layout, join.slot) {
        try makeJoin(join.join)
        try connection.execute(
          "DELETE FROM \(id(join.join.table)) WHERE \(id(column)) NOT IN (\(try keys(layout)))")
      }
    }
  }

  private func makeJoin(_ join: StoreSchema.JoinTable) throws {
    let count = try connection.integer(
      "SELECT COUNT(*) FROM sqlite_schema WHERE name = \(SQLText.literal(.text(join.table)))")
    guard count == 0 else { return }
    for statement in SchemaBuilder(plan: migration.plan).create(join) {
      try connection.execute(statement)
    }
  }

  private func clear(
    _ table: String, _ column: String, _ order: String?, where condition: String
  ) throws {
    let changes = [column, order].compactMap(\.self).map { "\(id($0)) = NULL" }
    try connection.execute(
      "UPDATE \(id(table)) SET \(changes.joined(separator: ", "))"
        + " WHERE \(id(column)) IS NOT NULL AND \(condition)")
  }

  /// Clears to-one references to objects whose inverse does not refer back, if the migration has made the inverse
  /// to-one, too.
  private func clearReferencesWithoutInverse(
    _ layout: EntityLayout, _ slot: Int, _ column: String, _ relationship: RelationshipLayout
  ) throws {
    guard let inverse = relationship.inverse else { return }
    let other = StoreSchemaPlan.declaringEntity(of: inverse, in: relationship.destination)
    guard case .toOne(let back, _, _) = migration.plan.mappings[other.index][inverse],
      targets.contains(where: { $0.layout === other && $0.slot == inverse })
    else { return }
    let table = id(try migration.table(layout))
    let others =
      "SELECT 1 FROM \(id(try migration.table(other))) AS o WHERE o.Z_PK = \(table).\(id(column))"
    let condition =
      "\(id(column)) IS NOT NULL AND NOT EXISTS (\(others) AND o.\(id(back)) = \(table).Z_PK)"
    // Clearing a reference to a missing row loses no object.
    try losses.require(layout, slot) {
      "SELECT COUNT(*) FROM \(table) WHERE \(condition) AND EXISTS (\(others))"
    }
    try connection.execute("UPDATE \(table) SET \(id(column)) = NULL WHERE \(condition)")
  }

  // MARK: Columns beside keys

  /// Writes the entity of each member where the new model stores it, and a position for members that have
  /// none.
  func completeColumns() throws {
    for table in migration.plan.tables {
      for layout in table.root.family {
        for slot in StoreSchemaPlan.ownSlots(layout) {
          guard
            case .toOne(let column, let entity, let order) =
              migration.plan.mappings[layout.index][slot],
            let destination = layout.slots[slot].relationship?.destination
          else { continue }
          if let entity {
            try connection.execute(
              "UPDATE \(id(table.name)) SET \(id(entity)) = (SELECT d.Z_ENT FROM"
                + " \(id(try migration.table(destination))) AS d"
                + " WHERE d.Z_PK = \(id(table.name)).\(id(column)))"
                + " WHERE \(id(column)) IS NOT NULL OR \(id(entity)) IS NOT NULL")
          }
          if let order { try number(table.name, order, of: column, key: "Z_PK") }
        }
      }
      for (_, _, column, order) in migration.ownerColumns(in: table.root) {
        if let order { try number(table.name, order, of: column, key: "Z_PK") }
      }
    }
    for join in migration.plan.joins.map(\.join) {
      try makeJoin(join)
      if let order = join.memberOrderColumn {
        try number(join.table, order, of: join.ownerColumn, key: join.memberColumn)
      }
      if let order = join.ownerOrderColumn {
        try number(join.table, order, of: join.memberColumn, key: join.ownerColumn)
      }
    }
  }

  /// Numbers all members of each owner that has members without a position. The members without a position come first,
  /// in the order of their keys; the others keep their order.
  private func number(_ table: String, _ order: String, of owner: String, key: String) throws {
    let (table, order, owner, key) = (id(table), id(order), id(owner), id(key))
    try connection.execute(
      "UPDATE \(table) SET \(order) = n.number FROM (SELECT rowid AS row, \(OrderNumbers.first)"
        + " + (ROW_NUMBER() OVER (PARTITION BY \(owner) ORDER BY \(order), \(key)) - 1)"
        + " * \(OrderNumbers.step) AS number FROM \(table) WHERE \(owner) IN"
        + " (SELECT \(owner) FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NULL)) AS n"
        + " WHERE n.row = \(table).rowid")
  }
}
