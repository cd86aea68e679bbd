import StoreEngine

/// Infers a model from a store's tables, for stores without a copy of their model.
///
/// The content of the file determines the model: entities and their hierarchy come from `Z_PRIMARYKEY`, attributes
/// from columns and their declared types, to-one relationships from integer columns with an index, and
/// many-to-many relationships from join tables. Properties get the lowercase names of columns, because the file
/// contains only uppercase ones. If the store contains a damaged copy of its model, the spellings in that copy are
/// used.
struct ModelInference {
  let connection: SQLiteConnection
  private var entities: [Int: NSEntityDescription] = [:]
  private var parents: [Int: Int] = [:]
  /// The spellings of names by their uppercase forms; empty if they are unknown.
  private var spellings: [String: String] = [:]

  static func model(of url: URL) throws -> NSManagedObjectModel {
    try SQLiteStore.withReadConnection(to: url) { connection in
      var inference = ModelInference(connection: connection)
      return try inference.infer()
    }
  }

  private init(connection: SQLiteConnection) { self.connection = connection }

  private typealias Column = (name: String, type: String)

  private mutating func infer() throws -> NSManagedObjectModel {
    spellings = SQLiteStore.spellings(inDamagedModelOn: connection)
    let tables = try readTables()
    try readEntities(namedIn: tables["Z_PRIMARYKEY"] ?? [])
    try readEntities(in: tables)
    for (number, entity) in entities.sorted(by: { $0.key < $1.key }) where parents[number] == nil {
      let table = "Z" + (entity.name ?? "").uppercased()
      guard let columns = tables[table] else { continue }
      // The table does not show which of its entities has a column, so the root entity gets all of
      // them.
      try addProperties(columns, of: table, to: entity, keys: try keyColumns(of: table))
    }
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
      addJoin(table, columns.map(\.name))
    }
    for (number, parent) in parents.sorted(by: { $0.key < $1.key }) {
      guard let entity = entities[number] else { continue }
      entities[parent]?.subentities.append(entity)
    }
    let model = NSManagedObjectModel()
    model.entities = entities.sorted { $0.key < $1.key }.map(\.value)
    return model
  }

  /// Adds the entities in `Z_PRIMARYKEY`; none if one of the columns with their names and numbers is missing.
  private mutating func readEntities(namedIn columns: [Column]) throws {
    let names = Set(columns.map(\.name))
    guard names.isSuperset(of: ["Z_ENT", "Z_NAME"]) else { return }
    let parent = names.contains("Z_SUPER") ? "Z_SUPER" : "0"
    try connection.run("SELECT Z_ENT, Z_NAME, \(parent) FROM Z_PRIMARYKEY") { statement in
      let number = Int(truncatingIfNeeded: statement.integer(0))
      // Numbers from 16,000 on belong to persistent history.
      guard number < 16_000, let name = statement.optionalText(1) else { return }
      addEntity(name, number)
      let parent = Int(truncatingIfNeeded: statement.integer(2))
      if parent > 0 { parents[number] = parent }
    }
    parents = parents.filter { entities[$0.value] != nil }
    removeCircularParents()
  }

  /// Turns entities whose parents form a cycle, because of damaged numbers, into root entities.
  private mutating func removeCircularParents() {
    let known = parents
    // The start of the walk that first reached each entity.
    var walks: [Int: Int] = [:]
    for start in known.keys {
      var current: Int? = start
      while let number = current, walks[number] == nil {
        walks[number] = start
        current = known[number]
      }
      guard var member = current, walks[member] == start else { continue }
      while let parent = parents.removeValue(forKey: member) { member = parent }
    }
  }

  /// Adds entities for tables that have none in `Z_PRIMARYKEY`, because it or a part of it is missing: one for each
  /// entity number in the table's rows, or one if they contain no number.
  private mutating func readEntities(in tables: [String: [Column]]) throws {
    // The next number for a table whose rows contain none. It is larger than the numbers that are read from rows.
    var next = 10_000
    let known = Set(entities.values.compactMap { $0.name.map { "Z" + $0.uppercased() } })
    for (table, columns) in tables.sorted(by: { $0.key < $1.key })
    where table.hasPrefix("Z") && !table.hasPrefix("Z_") && !known.contains(table) {
      let present = Set(columns.map(\.name)).intersection(StoreSchema.OwnColumns.apple.names)
      // One of the columns with the key, the entity and the version may be missing.
      guard present.count > 1 else { continue }
      let name = String(table.dropFirst())
      let spelled = spellings[name] ?? name.prefix(1) + name.dropFirst().lowercased()
      var root: Int?
      for number in present.contains("Z_ENT") ? try numbers(in: table) : [] {
        if entities[number] != nil { continue }
        addEntity(root == nil ? spelled : "\(spelled)_\(number)", number)
        if let root { parents[number] = root } else { root = number }
      }
      if root == nil {
        while entities[next] != nil { next += 1 }
        addEntity(spelled, next)
      }
    }
  }

  private mutating func addEntity(_ name: String, _ number: Int) {
    let entity = NSEntityDescription()
    entity.name = name
    entities[number] = entity
  }

  /// Returns the entity numbers in the rows of a table.
  private func numbers(in table: String) throws -> [Int] {
    try connection.rows(
      "SELECT DISTINCT Z_ENT FROM \(SQLText.name(table)) WHERE Z_ENT BETWEEN 1 AND 9999 ORDER BY 1"
    ) { Int($0.integer(0)) }
  }

  /// Returns a name in the spelling of a model.
  private func spelled(_ name: some StringProtocol) -> String {
    spellings[name.uppercased()] ?? name.lowercased()
  }

  /// Returns the columns of each table except those that run code, with uppercase names of tables and columns.
  private func readTables() throws -> [String: [Column]] {
    var tables: [String: [Column]] = [:]
    try connection.run(
      "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND \(TableCondition.isPlain) ORDER BY m.name, c.cid"
    ) { statement in
      tables[statement.text(0).asciiUppercased, default: []].append(
        (name: statement.text(1).asciiUppercased, type: statement.text(2).uppercased()))
    }
    for table in connection.foreignTables { tables[table.name.asciiUppercased] = nil }
    return tables
  }

  /// Returns the columns with an index `<table>_<column>_INDEX`, most of which are keys.
  private func keyColumns(of table: String) throws -> Set<String> {
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE",
      [.text(table)]
    ).map(\.asciiUppercased)
    let own = names.filter { $0.hasPrefix(table + "_") && $0.hasSuffix("_INDEX") }
    return Set(own.map { String($0.dropFirst(table.count + 1).dropLast(6)) })
  }

  /// Adds the attributes and to-one relationships of a table to its root entity.
  private func addProperties(
    _ columns: [Column], of table: String, to entity: NSEntityDescription, keys: Set<String>
  ) throws {
    let names = Set(columns.map(\.name))
    for column in columns {
      guard column.name.hasPrefix("Z"), !column.name.hasPrefix("Z_") else { continue }
      let rest = column.name.dropFirst()
      let digits = rest.prefix(while: \.isNumber)
      // `Z1_BOOK` contains the entity of `ZBOOK`'s destination. `Z2ITEMS` is the key of a to-many relationship
      // without an inverse.
      if let number = Int(digits) {
        let name = rest.dropFirst(digits.count)
        if name.hasPrefix("_"), names.contains("Z" + name.dropFirst()) { continue }
        if let owner = entities[number], !name.hasPrefix("_") {
          addToMany(String(name), from: owner, to: entity)
          continue
        }
      }
      let name = spelled(rest)
      if column.type == "INTEGER", keys.contains(column.name),
        let destination = destination(of: String(rest), column.name, names)
      {
        addToOne(name, from: entity, to: destination)
      } else if let type = Self.attributeType(column.type) {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        entity.properties.append(attribute)
      }
    }
  }

  /// Returns the destination entity of a key column: the one whose number is in the name of its entity column, or else
  /// the one with the name of the column.
  private func destination(
    of name: String, _ column: String, _ columns: Set<String>
  ) -> NSEntityDescription? {
    for (number, entity) in entities where columns.contains("Z\(number)_\(name)") { return entity }
    let plain = name.lowercased()
    let candidates = entities.values.filter { ($0.name ?? "").lowercased() == plain }
    if let exact = candidates.first { return exact }
    // For a column `TYPE`, `recipeType` is the destination if it is the only entity whose name ends in that of the
    // column.
    let similar = entities.values.filter { ($0.name ?? "").lowercased().hasSuffix(plain) }
    return similar.count == 1 ? similar.first : nil
  }

  private func addToOne(
    _ name: String, from entity: NSEntityDescription, to destination: NSEntityDescription
  ) {
    // The inverse has no column, so its name is unknown.
    let owners = Self.unused("\((entity.name ?? "").lowercased())s_\(name)", in: destination)
    let relationship = Self.relationship(name, to: destination)
    relationship.maxCount = 1
    Self.add(relationship, to: entity, Self.relationship(owners, to: entity), to: destination)
  }

  private func addToMany(
    _ name: String, from owner: NSEntityDescription, to destination: NSEntityDescription
  ) {
    owner.properties.append(
      Self.relationship(Self.unused(spelled(name), in: owner), to: destination))
  }

  private static func relationship(
    _ name: String, to destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    return relationship
  }

  /// Adds two relationships that are inverses of each other.
  private static func add(
    _ relationship: NSRelationshipDescription, to entity: NSEntityDescription,
    _ inverse: NSRelationshipDescription, to destination: NSEntityDescription
  ) {
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
    entity.properties.append(relationship)
    destination.properties.append(inverse)
  }

  /// Adds a join table: `Z_1BOOKS (Z_1AUTHORS, Z_2BOOKS)` means the relationships `books` of entity 1 and `authors`
  /// of entity 2.
  private func addJoin(_ table: String, _ columns: [String]) {
    guard table.hasPrefix("Z_"), let (number, _) = Self.numbered(table),
      let owner = entities[number]
    else { return }
    let plain = columns.filter { !$0.hasPrefix("Z_FOK_") }
    guard plain.count == 2 else { return }
    if plain[1] == "REFLEXIVE", let (_, name) = Self.numbered(plain[0]) {
      let relationship = Self.relationship(spelled(name), to: owner)
      relationship.inverseRelationship = relationship
      owner.properties.append(relationship)
      return
    }
    // In `Z_1BOOKS`, `Z_2BOOKS` contains the members: after its number, its name begins with the table's. The other
    // column contains the owners.
    guard
      let member = plain.first(where: { column in
        guard let (_, tableName) = Self.numbered(table), let (_, name) = Self.numbered(column)
        else { return false }
        return name.hasPrefix(tableName)
      }), let ownerColumn = plain.first(where: { $0 != member }),
      let (memberNumber, memberName) = Self.numbered(member),
      let (_, ownerName) = Self.numbered(ownerColumn), let destination = entities[memberNumber]
    else { return }
    let relationship = Self.relationship(spelled(memberName), to: destination)
    relationship.isOrdered = columns.contains("Z_FOK_" + member.dropFirst(2))
    let inverse = Self.relationship(spelled(ownerName), to: owner)
    inverse.isOrdered = columns.contains("Z_FOK_" + ownerColumn.dropFirst(2))
    Self.add(relationship, to: owner, inverse, to: destination)
  }

  /// Returns the number and name in `Z_<number><NAME>`.
  private static func numbered(_ text: String) -> (Int, String)? {
    guard text.hasPrefix("Z_") else { return nil }
    let rest = text.dropFirst(2)
    let digits = rest.prefix(while: \.isNumber)
    guard let number = Int(digits) else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
  }

  private static func unused(_ name: String, in entity: NSEntityDescription) -> String {
    let usedNames = Set(entity.properties.map(\.name))
    var candidate = name
    while usedNames.contains(candidate) { candidate += "_" }
    return candidate
  }

  private static func attributeType(_ declared: String) -> NSAttributeType? {
    switch declared {
    // Smaller integers and Boolean values have the same declared type.
    case "INTEGER": .integer64AttributeType
    case "FLOAT": .doubleAttributeType
    case "TIMESTAMP": .dateAttributeType
    case "DECIMAL": .decimalAttributeType
    case "VARCHAR": .stringAttributeType
    case "BLOB": .binaryDataAttributeType
    default: nil
    }
  }
}
