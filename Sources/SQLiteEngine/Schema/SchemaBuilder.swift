import StoreEngine

/// The statements that create the tables, indexes and triggers of a new store.
struct SchemaBuilder {
  let plan: StoreSchemaPlan
  /// Whether fetch indexes that cannot be built are omitted also for a model that is not compiled.
  var omitsInvalidIndexes = false

  /// Returns all statements in an order in which they can be run.
  func statements() throws -> [String] {
    var statements: [String] = []
    var names = SchemaNames(plan.tables.map(\.name) + plan.joins.map(\.join.table))
    for table in plan.tables {
      statements.append(create(table))
      statements += keyIndexes(table, &names)
      for layout in table.root.family {
        statements += try declaredIndexes(layout, table, &names)
      }
    }
    // All tables precede the triggers, which may be on the tables of other entities and on join
    // tables.
    for join in plan.joins { statements += create(join.join) }
    var triggerNames = SchemaNames()
    for table in plan.tables {
      for layout in table.root.family {
        statements += DerivedAttributeTriggers(plan: plan, layout: layout).triggers()
          .map { $0.statement(&triggerNames) }
      }
    }
    statements += [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,"
        + " Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255),"
        + " Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
    return statements
  }

  /// Returns the columns of a new table in the order of Apple's Core Data.
  static func ordered(_ columns: [StoreSchemaPlan.Column]) -> [StoreSchemaPlan.Column] {
    // Integer columns and to-one keys are grouped by entity. The other groups contain the columns of all entities.
    func rank(_ column: StoreSchemaPlan.Column) -> (Int, Int, Int) {
      switch column.group {
      case .integer: (0, column.owner, 0)
      case .toOne: (0, column.owner, 1)
      case .noInverse: (1, column.owner, 0)
      default: (column.group.rawValue, column.owner, 0)
      }
    }
    return columns.sorted { left, right in
      let (a, b) = (rank(left), rank(right))
      if a != b { return a < b }
      return left.sortName.utf8.lexicographicallyPrecedes(right.sortName.utf8)
    }
  }

  /// Returns the statement that creates a table, without its indexes.
  func create(_ table: StoreSchemaPlan.Table) -> String {
    let own = Self.ordered(table.columns).map { "\(Self.identifier($0.name)) \($0.type)" }
    let columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"] + own
    return "CREATE TABLE \(Self.identifier(table.name)) ( \(columns.joined(separator: ", ")) )"
  }

  /// Returns the indexes of foreign keys, and of the entity number if a table contains several entities.
  private func keyIndexes(
    _ table: StoreSchemaPlan.Table, _ names: inout SchemaNames
  ) -> [String] {
    let name = table.name
    var statements: [String] = []
    for column in Self.ordered(table.columns) {
      switch column.group {
      // This excludes the column with the destination's entity, which is in the same group.
      case .toOne where column.name.hasPrefix("Z" + column.sortName.uppercased()), .noInverse:
        statements.append(
          index(
            names.unused("\(name)_\(column.name)_INDEX"), on: name,
            Self.identifier(column.name)))
      default: break
      }
    }
    if table.root.family.count > 1 {
      statements.append(index(names.unused("\(name)_Z_ENT_INDEX"), on: name, "Z_ENT"))
    }
    return statements
  }

  private func index(
    _ name: String, on table: String, _ columns: String, isUnique: Bool = false
  ) -> String {
    "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(Self.identifier(name)) ON"
      + " \(Self.identifier(table)) (\(columns))"
  }

  /// Returns the SQL of the indexed columns.
  private func terms(_ columns: [String]) -> String {
    // Apple's Core Data writes collation and order, although these are SQLite's defaults.
    columns.map { "\(Self.identifier($0)) COLLATE BINARY ASC" }.joined(separator: ", ")
  }

  /// Returns the fetch indexes and uniqueness constraints that an entity declares.
  ///
  /// - Parameter names: The names of previous tables and indexes. A model may list an index twice, and names that
  ///   differ only in case are the same to SQLite.
  private func declaredIndexes(
    _ layout: EntityLayout, _ table: StoreSchemaPlan.Table, _ names: inout SchemaNames
  ) throws -> [String] {
    var statements: [String] = []
    let inherited = Set(layout.superlayout?.entity.indexes.map(\.name) ?? [])
    let builder = FetchIndexBuilder(plan: plan, layout: layout, table: table.name)
    for index in layout.entity.indexes where !inherited.contains(index.name) {
      guard names.insert(builder.name(of: index)) else {
        Log.storeNotice(
          "the fetch index \(layout.name).\(index.name) is omitted: SQLite already has a table or index"
            + " with its name")
        continue
      }
      do {
        statements += try builder.statements(index)
      } catch {
        // A compiled model can be used without its index, because no query requires it.
        guard omitsInvalidIndexes || plan.model.model.isCompiled else { throw error }
        Log.storeNotice("an index is omitted: \(error.localizedDescription)")
      }
    }
    statements += oldIndexes(layout, table, &names)
    return statements + uniqueIndexes(layout, table, &names)
  }

  /// Returns the indexes of the uniqueness constraints that an entity declares.
  private func uniqueIndexes(
    _ layout: EntityLayout, _ table: StoreSchemaPlan.Table, _ names: inout SchemaNames
  ) -> [String] {
    var statements: [String] = []
    // A model may list a constraint twice.
    var indexed: Set<[String]> = []
    for constraint in layout.entity.uniquenessConstraints where !isInherited(constraint, layout) {
      let keys = constraint.compactMap { element -> String? in
        (element as? String) ?? (element as? NSPropertyDescription)?.name
      }
      let columns = keys.compactMap { column($0, layout) }
      guard !columns.isEmpty, columns.count == keys.count, indexed.insert(columns).inserted else {
        continue
      }
      let name = names.unused("Z_\(layout.name)_UNIQUE_\(keys.joined(separator: "_"))")
      statements.append(index(name, on: table.name, terms(columns), isUnique: true))
    }
    return statements
  }

  /// Returns the indexes that older models declare without fetch indexes: those of attributes that are marked as
  /// indexed, and of groups of attributes.
  private func oldIndexes(
    _ layout: EntityLayout, _ table: StoreSchemaPlan.Table, _ names: inout SchemaNames
  ) -> [String] {
    var statements: [String] = []
    for slot in StoreSchemaPlan.ownSlots(layout).map({ layout.slots[$0] }) {
      let name = "Z_\(layout.name)_\(slot.name)"
      guard slot.property.isIndexed,
        case .attribute(let column) = plan.mappings[layout.index][slot.index], names.insert(name)
      else { continue }
      statements.append(index(name, on: table.name, terms([column])))
    }
    for group in layout.entity.compoundIndexNames {
      let columns = group.compactMap { $0 == "self" ? "Z_PK" : column($0, layout) }
      let name = ([table.name] + columns).joined(separator: "_")
      guard !columns.isEmpty, columns.count == group.count, names.insert(name) else { continue }
      statements.append(index(name, on: table.name, terms(columns)))
    }
    return statements
  }

  /// Returns whether the superentity has the same constraint, and so already has its index.
  private func isInherited(_ constraint: [Any], _ layout: EntityLayout) -> Bool {
    guard let parent = layout.superlayout else { return false }
    let names = constraint.map { "\($0)" }
    return parent.entity.uniquenessConstraints.contains { $0.map { "\($0)" } == names }
  }

  private func column(_ property: String, _ layout: EntityLayout) -> String? {
    layout.slotNumbers[property].flatMap { plan.mappings[layout.index][$0].column }
  }

  /// Returns the statements that create a join table and its index.
  func create(_ join: StoreSchema.JoinTable) -> [String] {
    let (owner, member) = (Self.identifier(join.ownerColumn), Self.identifier(join.memberColumn))
    let orders = [join.memberOrderColumn, join.ownerOrderColumn].compactMap(\.self)
    let columns = ([owner, member] + orders.map(Self.identifier)).map { "\($0) INTEGER" }
      .joined(separator: ", ")
    return [
      "CREATE TABLE \(Self.identifier(join.table)) ( \(columns), PRIMARY KEY (\(owner), \(member)) )",
      index("\(join.table)_\(join.memberColumn)_INDEX", on: join.table, "\(member), \(owner)"),
    ]
  }

  /// Returns a name as Apple's Core Data writes it: without quotes if it is a single word in SQL.
  static func identifier(_ name: String) -> String {
    isPlain(name.utf8) ? name : SQLText.name(name)
  }

  /// Returns whether a name in UTF-8 consists of ASCII letters, digits and underscores.
  static func isPlain(_ name: some Sequence<UInt8>) -> Bool {
    name.allSatisfy { SchemaWords.isPart($0) && $0 < 0x80 }
  }
}
