import StoreEngine

/// Makes a model from a store's tables, for stores that carry none.
///
/// What the file says is used as it stands: entities and their hierarchy from `Z_PRIMARYKEY`,
/// attributes from columns and their declared types, to-one relationships from integer columns
/// that an index of keys covers, many-to-many ones from join tables. Names are the columns', in
/// lower case: the file has them in upper case only. Where the store carries a model that cannot be read, names are
/// spelled as the rest of it has them.
struct ModelInference {
  let connection: SQLiteConnection
  private var entities: [Int: NSEntityDescription] = [:]
  private var parents: [Int: Int] = [:]
  /// How names are spelled, by their form in upper case; empty where nothing tells.
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

  /// Makes the entities that `Z_PRIMARYKEY` names; none where one of the columns that name them is gone.
  private mutating func readEntities(namedIn columns: [Column]) throws {
    let names = Set(columns.map(\.name))
    guard names.isSuperset(of: ["Z_ENT", "Z_NAME"]) else { return }
    let parent = names.contains("Z_SUPER") ? "Z_SUPER" : "0"
    try connection.run("SELECT Z_ENT, Z_NAME, \(parent) FROM Z_PRIMARYKEY") { statement in
      let number = Int(truncatingIfNeeded: statement.integer(0))
      // Numbers from 16,000 are those of persistent history.
      guard number < 16_000, let name = statement.optionalText(1) else { return }
      addEntity(name, number)
      let parent = Int(truncatingIfNeeded: statement.integer(2))
      if parent > 0 { parents[number] = parent }
    }
    parents = parents.filter { entities[$0.value] != nil }
    removeCircularParents()
  }

  /// Makes root entities of those whose parents, by damaged numbers, lead back to themselves.
  private mutating func removeCircularParents() {
    let known = parents
    // The walk that came to an entity first.
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

  /// Makes entities of tables and the numbers in their rows, where the table that names entities, or its row, is gone.
  private mutating func readEntities(in tables: [String: [Column]]) throws {
    // Entities have numbers by name; those of tables without rows are behind all others.
    var next = 10_000
    let known = Set(entities.values.compactMap { $0.name.map { "Z" + $0.uppercased() } })
    for (table, columns) in tables.sorted(by: { $0.key < $1.key })
    where table.hasPrefix("Z") && !table.hasPrefix("Z_") && !known.contains(table) {
      let present = Set(columns.map(\.name)).intersection(StoreSchema.OwnColumns.apple.names)
      // One of the three may be lost.
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
        addEntity(spelled, next)
        next += 1
      }
    }
  }

  private mutating func addEntity(_ name: String, _ number: Int) {
    let entity = NSEntityDescription()
    entity.name = name
    entities[number] = entity
  }

  /// The numbers of entities in the rows of a table.
  private func numbers(in table: String) throws -> [Int] {
    try connection.rows(
      "SELECT DISTINCT Z_ENT FROM \(SQLText.name(table)) WHERE Z_ENT BETWEEN 1 AND 9999 ORDER BY 1"
    ) { Int($0.integer(0)) }
  }

  /// A name as a model would have it.
  private func spelled(_ name: some StringProtocol) -> String {
    spellings[name.uppercased()] ?? name.lowercased()
  }

  /// The tables with their columns, all by names in upper case. A table that runs code is left out.
  private func readTables() throws -> [String: [Column]] {
    var tables: [String: [Column]] = [:]
    try connection.run(
      "SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c"
        + " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY m.name, c.cid"
    ) { statement in
      tables[statement.text(0).asciiUppercased, default: []].append(
        (name: statement.text(1).asciiUppercased, type: statement.text(2).uppercased()))
    }
    for table in connection.foreignTables { tables[table.name.asciiUppercased] = nil }
    return tables
  }

  /// The columns that an index `<table>_<column>_INDEX` covers: keys, in the main.
  private func keyColumns(of table: String) throws -> Set<String> {
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE",
      [.text(table)]
    ).map(\.asciiUppercased)
    let own = names.filter { $0.hasPrefix(table + "_") && $0.hasSuffix("_INDEX") }
    return Set(own.map { String($0.dropFirst(table.count + 1).dropLast(6)) })
  }

  /// Attributes and to-one relationships of a table, given to its root entity.
  private func addProperties(
    _ columns: [Column], of table: String, to entity: NSEntityDescription, keys: Set<String>
  ) throws {
    let names = Set(columns.map(\.name))
    for column in columns {
      guard column.name.hasPrefix("Z"), !column.name.hasPrefix("Z_") else { continue }
      let rest = column.name.dropFirst()
      let digits = rest.prefix(while: \.isNumber)
      // `Z1_BOOK` says which entity `ZBOOK` leads to; `Z2ITEMS` is the key of a to-many
      // relationship without an inverse.
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

  /// The entity that a key column leads to: the one its entity column names, else the one whose
  /// name the column has.
  private func destination(
    of name: String, _ column: String, _ columns: Set<String>
  ) -> NSEntityDescription? {
    for (number, entity) in entities where columns.contains("Z\(number)_\(name)") { return entity }
    let plain = name.lowercased()
    let candidates = entities.values.filter { ($0.name ?? "").lowercased() == plain }
    if let exact = candidates.first { return exact }
    // `recipeType` for a column `TYPE`: an entity whose name ends in the column's, if it is alone.
    let similar = entities.values.filter { ($0.name ?? "").lowercased().hasSuffix(plain) }
    return similar.count == 1 ? similar.first : nil
  }

  private func addToOne(
    _ name: String, from entity: NSEntityDescription, to destination: NSEntityDescription
  ) {
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

  /// Adds two relationships that are each other's inverse.
  private static func add(
    _ relationship: NSRelationshipDescription, to entity: NSEntityDescription,
    _ inverse: NSRelationshipDescription, to destination: NSEntityDescription
  ) {
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
    entity.properties.append(relationship)
    destination.properties.append(inverse)
  }

  /// `Z_1BOOKS (Z_1AUTHORS, Z_2BOOKS)`: relationship `books` of entity 1, `authors` of entity 2.
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
    // The column that ends in the table's own name holds the members; the other one the owners.
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

  /// The number and name in `Z_<number><NAME>`.
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
