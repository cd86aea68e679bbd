import StoreEngine

/// Migrates the rows of one table to the new model.
///
/// A table is altered if each old column is kept for later removal, or becomes one new column whose values are
/// unchanged or get a default instead of NULL, because then no row is copied. Any other table is created again, and its
/// rows are copied column by column (``MigratedCell``).
struct TableMigration {
  private let migration: InPlaceMigration
  private let table: StoreSchemaPlan.Table
  private let feeds: [Feed]
  /// The old table that is altered; nil if the rows are copied.
  let keptTable: String?

  /// The rows of an old entity that become rows of a new one.
  private struct Feed {
    let old: EntityLayout
    let new: EntityLayout
    let oldNumber: Int
    let newNumber: Int
    let oldTable: String
    /// The values by column of the new table. Missing columns are NULL.
    var cells: [String: MigratedCell]
  }

  init(_ table: StoreSchemaPlan.Table, in migration: InPlaceMigration) {
    self.migration = migration
    self.table = table
    let feeds = Self.feeds(of: table, in: migration)
    self.feeds = feeds
    keptTable = Self.keptTable(table, feeds, in: migration)
  }

  private static func feeds(
    of table: StoreSchemaPlan.Table, in migration: InPlaceMigration
  ) -> [Feed] {
    table.root.family.compactMap { layout in
      guard let source = migration.sources.source(of: layout),
        let number = migration.plan.numbers[layout.index],
        let oldNumber = migration.old.numbers[source.index],
        let oldTable = migration.old.tables[source.index]
      else { return nil }
      let feed = Feed(
        old: source, new: layout, oldNumber: oldNumber, newNumber: number, oldTable: oldTable,
        cells: [:])
      return Self.filled(feed, table, in: migration)
    }
  }

  private static func filled(
    _ feed: Feed, _ table: StoreSchemaPlan.Table, in migration: InPlaceMigration
  ) -> Feed {
    var feed = feed
    for slot in feed.new.slots {
      let source = migration.sources.slot(slot.index, of: feed.new)
      let mapping = source.map { migration.old.mapping(feed.old, $0) } ?? .none
      switch (migration.plan.mappings[feed.new.index][slot.index], mapping) {
      case (.attribute(let column), _):
        // A transient attribute had no column.
        let name: String? = if case .attribute(let name) = mapping { name } else { nil }
        let known = source.map { (slot: feed.old.slots[$0], column: name) }
        feed.cells[column] = MigratedCell(slot, from: known)
      case (.toOne(let column, let entity, let order), .toOne(let key, let oldEntity, let oldOrder)):
        feed.cells[column] = .column(key)
        if let entity { feed.cells[entity] = oldEntity.map { .column($0) } }
        if let order { feed.cells[order] = oldOrder.map { .column($0) } }
      default: break
      }
    }
    // If a to-many relationship has no inverse, the rows of its members contain the key of their owner.
    for owner in migration.ownerColumns(in: table.root) {
      guard let source = migration.sources.source(of: owner.layout),
        let number = migration.sources.slot(owner.slot, of: owner.layout),
        case .children(let key, let oldOrder, false) = migration.old.mapping(source, number),
        source.slots[number].relationship?.destination.root === feed.old.root
      else { continue }
      feed.cells[owner.column] = .column(key)
      if let order = owner.order { feed.cells[order] = oldOrder.map { .column($0) } }
    }
    return feed
  }

  /// Returns the old table if it can be altered: if all rows of the new table come from it, none of its entities moves
  /// to another table, and each of its columns is kept for later removal, or becomes one new column with the same
  /// values or with the new default instead of NULL. Otherwise returns nil.
  private static func keptTable(
    _ table: StoreSchemaPlan.Table, _ feeds: [Feed], in migration: InPlaceMigration
  ) -> String? {
    guard let name = feeds.first?.oldTable, feeds.allSatisfy({ $0.oldTable == name }),
      !migration.tablesWithMore.contains(name)
    else { return nil }
    // An altered table would keep the columns of entities that were moved to another table.
    guard let oldTable = migration.oldPlan.tables.first(where: { $0.name == name }),
      oldTable.root.family.allSatisfy({ layout in
        migration.sources.successor(of: layout).map { $0.root === table.root } ?? true
      })
    else { return nil }
    var columns: [String: String] = [:]
    for column in table.columns {
      let cells = feeds.compactMap { $0.cells[column.name] }
      let names = Set(cells.compactMap(\.keptColumn))
      if names.isEmpty {
        if cells.contains(where: { $0.isExpression }) { return nil }
        continue
      }
      guard names.count == 1, let old = names.first,
        cells.allSatisfy({ $0.keptColumn != nil }), columns[old] == nil,
        oldTable.columns.first(where: { $0.name == old })?.type == column.type
      else { return nil }
      columns[old] = column.name
      // Rows of entities that had the old column, but do not have the new one, would keep the old values.
      let losers = feeds.filter {
        $0.cells[column.name] == nil && migration.hasColumn(old, $0.old)
      }
      guard losers.isEmpty else { return nil }
    }
    let left = oldTable.columns.map(\.name).filter { columns[$0] == nil }
    // A column that is kept for later removal must not have the name of another column.
    guard left.isEmpty || migration.settings.defersCleaning,
      table.columns.allSatisfy({ !left.contains($0.name) })
    else { return nil }
    return name
  }

  /// Migrates the rows of the table.
  ///
  /// - Parameter names: The temporary names of old tables.
  func run(_ names: [String: String]) throws {
    if let keptTable {
      try alter(names[keptTable] ?? keptTable)
      try update()
    } else {
      try connection.execute(SchemaBuilder(plan: migration.plan).create(table))
      try copy(names)
    }
  }

  var name: String { table.name }

  /// The new names of the columns in old tables whose rows were moved here, by table. Removed columns have no name.
  var newNames: [String: [String: String]] {
    var names: [String: [String: String]] = [:]
    for feed in feeds {
      for (column, cell) in feed.cells.sorted(by: { $0.key < $1.key }) {
        guard let old = cell.keptColumn, names[feed.oldTable]?[old] == nil else { continue }
        names[feed.oldTable, default: [:]][old] = column
      }
    }
    let keys = ["Z_PK", "Z_ENT", "Z_OPT"]
    for table in Set(feeds.map(\.oldTable)) {
      // A column with converted values keeps its name, unless another column has it now.
      for column in keys + self.table.columns.map(\.name)
      where names[table]?[column] == nil && names[table]?.values.contains(column) != true {
        names[table, default: [:]][column] = column
      }
    }
    return names
  }

  private var connection: SQLiteConnection { migration.connection }
  private func id(_ name: String) -> String { SQLText.name(name) }

  // MARK: Altering

  private func alter(_ name: String) throws {
    // Values may repeat temporarily while rows are written, or may no longer have to be unique.
    try migration.dropIndexes(of: name, unique: true)
    if name != table.name {
      try connection.execute("ALTER TABLE \(id(name)) RENAME TO \(id(table.name))")
    }
    var renames: [(from: String, to: String)] = []
    var added: [StoreSchemaPlan.Column] = []
    for column in SchemaBuilder.ordered(table.columns) {
      if let old = feeds.lazy.compactMap({ $0.cells[column.name]?.keptColumn }).first {
        if old != column.name { renames.append((old, column.name)) }
      } else {
        added.append(column)
      }
    }
    // Two columns may exchange their names.
    let target = id(table.name)
    for (number, rename) in renames.enumerated() {
      try connection.execute(
        "ALTER TABLE \(target) RENAME COLUMN \(id(rename.from)) TO OpenCoreData_\(number)")
    }
    for (number, rename) in renames.enumerated() {
      try connection.execute(
        "ALTER TABLE \(target) RENAME COLUMN OpenCoreData_\(number) TO"
          + " \(SchemaBuilder.identifier(rename.to))")
    }
    // Add new columns last, because they may have the old names of renamed ones.
    for column in added {
      try connection.execute(
        "ALTER TABLE \(target) ADD COLUMN \(SchemaBuilder.identifier(column.name)) \(column.type)")
    }
  }

  /// Updates the rows of an altered table: their entity numbers, and defaults if they are needed.
  private func update() throws {
    // Rows of removed entities are deleted first, because the update below replaces the old numbers.
    let kept = feeds.map(\.oldNumber)
    if migration.oldNumbers(ofTable: keptTable).contains(where: { !kept.contains($0) }) {
      try connection.execute(
        "DELETE FROM \(id(table.name)) WHERE Z_ENT NOT IN (\(Self.list(kept)))")
    }
    var changes: [String] = []
    if feeds.contains(where: { $0.oldNumber != $0.newNumber }) {
      changes.append("Z_ENT = \(newNumber(feeds))")
    }
    for column in table.columns {
      let needing = feeds.filter { $0.cells[column.name]?.changesValues == true }
      guard let first = needing.first?.cells[column.name] else { continue }
      let own = feeds.filter { $0.cells[column.name] != nil }
      let value = first.altered(column.name)
      let isForAll = own.count == feeds.count && needing.count == feeds.count
      changes.append(
        "\(id(column.name)) = "
          + (isForAll
            ? value
            : "CASE WHEN Z_ENT IN (\(Self.list(needing.map(\.oldNumber)))) THEN \(value)"
              + " ELSE \(id(column.name)) END"))
    }
    // One statement makes all changes, because its conditions compare the old numbers, which it replaces.
    if !changes.isEmpty {
      try connection.execute("UPDATE \(id(table.name)) SET \(changes.joined(separator: ", "))")
    }
  }

  // MARK: Copying

  private func copy(_ names: [String: String]) throws {
    var rest = feeds[...]
    while let first = rest.first {
      // Entities whose rows are copied in the same way share a statement, which reads the table
      // once.
      let group = rest.filter { $0.oldTable == first.oldTable && $0.cells == first.cells }
      rest = rest.filter { $0.oldTable != first.oldTable || $0.cells != first.cells }[...]
      let columns = SchemaBuilder.ordered(table.columns).filter { first.cells[$0.name] != nil }
      let values = columns.map { first.cells[$0.name]?.copied ?? "NULL" }
      // If the old table contains only one entity, its rows need no condition.
      let isAll = migration.oldNumbers(ofTable: first.oldTable).count == 1
      let number = isAll ? "\(first.newNumber)" : newNumber(group)
      try connection.execute(
        "INSERT INTO \(id(table.name))"
          + " (\((["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { id($0.name) }).joined(separator: ", ")))"
          + " SELECT \((["Z_PK", number, "Z_OPT"] + values).joined(separator: ", "))"
          + " FROM \(id(names[first.oldTable] ?? first.oldTable))"
          + (isAll ? "" : " WHERE Z_ENT IN (\(Self.list(group.map(\.oldNumber))))"))
    }
  }

  private func newNumber(_ feeds: some Sequence<Feed>) -> String {
    let cases = feeds.map { "WHEN \($0.oldNumber) THEN \($0.newNumber)" }
    return "CASE Z_ENT \(cases.joined(separator: " ")) ELSE Z_ENT END"
  }

  private static func list(_ numbers: [Int]) -> String {
    numbers.map(String.init).joined(separator: ", ")
  }
}

extension InPlaceMigration {
  /// Returns the numbers of the old entities in a table.
  fileprivate func oldNumbers(ofTable table: String?) -> [Int] {
    zip(old.tables, old.numbers).compactMap { $0 == table ? $1 : nil }
  }

  /// Returns whether a column stores a property of an old entity.
  fileprivate func hasColumn(_ column: String, _ layout: EntityLayout) -> Bool {
    layout.slots.contains { slot in
      switch old.mapping(layout, slot.index) {
      case .attribute(column: column), .toOne(column: column, _, _): true
      case .toOne(_, let entity, let order): entity == column || order == column
      default: false
      }
    }
  }
}
