import StoreEngine

/// Infers a model from a store's tables, for stores without a copy of their model.
///
/// The content of the file determines the model: entities and their hierarchy come from `Z_PRIMARYKEY`, attributes
/// from columns and their declared types, to-one relationships from integer columns with an index, and
/// many-to-many relationships from join tables. Properties get the lowercase names of columns, because the file
/// contains only uppercase ones. If the store contains a damaged copy of its model, the spellings in that copy are
/// used.
///
/// A program has already used such a model to create the store, so problems of the inferred model are only warnings, as
/// in a compiled model.
struct ModelInference {
  let connection: SQLiteConnection
  private var entities: [Int: NSEntityDescription] = [:]
  private var entityNames: Set<String> = []
  private var parents: [Int: Int] = [:]
  /// The entities that declare a property, by the property's name.
  private var owners: [String: [NSEntityDescription]] = [:]
  /// The to-one relationships. The file does not contain the names of their inverses.
  private var references: [(relationship: NSRelationshipDescription, owner: NSEntityDescription)] =
    []
  /// The to-many relationships without an inverse.
  private var collections:
    [(name: String, owner: NSEntityDescription, destination: NSEntityDescription)] = []
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
    for (number, parent) in parents.sorted(by: { $0.key < $1.key }) {
      guard let entity = entities[number] else { continue }
      entities[parent]?.subentities.append(entity)
    }
    for (number, entity) in entities.sorted(by: { $0.key < $1.key }) where parents[number] == nil {
      let table = "Z" + (entity.name ?? "").uppercased()
      guard let columns = tables[table] else { continue }
      // The table does not show which of its entities declares a column's property, so the root entity gets all of
      // them.
      addProperties(columns, to: entity, keys: try keyColumns(of: table))
    }
    // Properties with names from columns are added first, and those with made-up names last, so that as few names as
    // possible differ from the file's.
    for (name, owner, destination) in collections {
      add(Self.relationship(to: destination), name, to: owner)
    }
    for (table, columns) in tables.sorted(by: { $0.key < $1.key }) {
      addJoin(table, columns.map(\.name))
    }
    for (relationship, owner) in references { addInverse(of: relationship, owner) }
    let model = NSManagedObjectModel()
    model.entities = entities.sorted { $0.key < $1.key }.map(\.value)
    model.isCompiled = true
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
      guard number < 16_000, let name = statement.optionalText(1), !name.isEmpty,
        !entityNames.contains(name)
      else { return }
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
    // For each entity, the start of the walk that first reached it.
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
    where table.hasPrefix("Z") && table.utf8.count > 1 && !known.contains(table) {
      let present = Set(columns.map(\.name)).intersection(StoreSchema.OwnColumns.apple.names)
      // One of the columns with the key, the entity and the version may be missing. Core Data's own tables, and join
      // tables, have at most one of them.
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
    let name = Self.unused(name) { entityNames.contains($0) }
    entityNames.insert(name)
    entity.name = name
    entities[number] = entity
  }

  /// Returns the entity numbers in the rows of a table.
  private func numbers(in table: String) throws -> [Int] {
    try connection.rows(
      "SELECT DISTINCT Z_ENT FROM \(SQLText.name(table)) WHERE Z_ENT BETWEEN 1 AND 9999 ORDER BY 1"
    ) { Int($0.integer(0)) }
  }

  /// Returns a name as the damaged copy of the model spells it, or else in lowercase.
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

  /// Returns the columns with an index `<table>_<column>_INDEX`, most of which contain the keys of to-one
  /// relationships.
  private func keyColumns(of table: String) throws -> Set<String> {
    let names = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE",
      [.text(table)]
    ).map(\.asciiUppercased)
    let own = names.filter { $0.hasPrefix(table + "_") && $0.hasSuffix("_INDEX") }
    return Set(own.map { String($0.dropFirst(table.count + 1).dropLast(6)) })
  }

  /// The columns with the key, the entity and the version of a row, which contain no property.
  private static let ownColumns = Set(StoreSchema.OwnColumns.apple.names)

  /// Adds the attributes and to-one relationships of a table to its root entity.
  private mutating func addProperties(
    _ columns: [Column], to entity: NSEntityDescription, keys: Set<String>
  ) {
    let names = Set(columns.map(\.name))
    for column in columns {
      let rest = column.name.dropFirst()
      // The name of a property may begin with an underscore.
      guard column.name.hasPrefix("Z"), !rest.isEmpty, !Self.ownColumns.contains(column.name),
        !rest.hasPrefix("_FOK_")
      else { continue }
      let digits = rest.prefix(while: \.isNumber)
      // `Z1_BOOK` contains the entity of `ZBOOK`'s destination. `Z2ITEMS` is the key of a to-many relationship
      // without an inverse.
      if let number = Int(digits), column.type == "INTEGER" {
        let name = rest.dropFirst(digits.count)
        if name.hasPrefix("_"), names.contains("Z" + name.dropFirst()) { continue }
        if let owner = entities[number], !name.isEmpty, !name.hasPrefix("_") {
          collections.append((spelled(name), owner, entity))
          continue
        }
      }
      let name = spelled(rest)
      if column.type == "INTEGER", keys.contains(column.name),
        let destination = destination(of: String(rest), column.name, names)
      {
        let relationship = Self.relationship(to: destination)
        relationship.maxCount = 1
        add(relationship, name, to: entity)
        references.append((relationship, entity))
      } else if let type = Self.attributeType(column.type) {
        let attribute = NSAttributeDescription()
        attribute.attributeType = type
        add(attribute, name, to: entity)
      }
    }
  }

  /// Returns the destination entity of a key column: the one whose number is in the name of its entity column, or else
  /// the one with the name of the column, or else the only one with a name that ends in that of the column. Nil if
  /// there is none.
  private func destination(
    of name: String, _ column: String, _ columns: Set<String>
  ) -> NSEntityDescription? {
    for (number, entity) in entities where columns.contains("Z\(number)_\(name)") { return entity }
    let plain = name.lowercased()
    let candidates = entities.values.filter { ($0.name ?? "").lowercased() == plain }
    if let exact = candidates.first { return exact }
    // For a column `TYPE`, this may be `recipeType`.
    let similar = entities.values.filter { ($0.name ?? "").lowercased().hasSuffix(plain) }
    return similar.count == 1 ? similar.first : nil
  }

  /// Adds a property under a name that no property of the entity, its ancestors and its descendants has.
  private mutating func add(
    _ property: NSPropertyDescription, _ name: String, to entity: NSEntityDescription
  ) {
    property.name = Self.unused(name) { name in
      owners[name, default: []].contains {
        $0.isKindOf(entity: entity) || entity.isKindOf(entity: $0)
      }
    }
    owners[property.name, default: []].append(entity)
    entity.properties.append(property)
  }

  /// Returns a name if it is unused, or else a similar one.
  private static func unused(_ name: String, _ isUsed: (String) -> Bool) -> String {
    if !isUsed(name) { return name }
    // The names of tables and columns are uppercase, so a name in another case belongs to the same table or column.
    var candidate = name.uppercased()
    while isUsed(candidate) { candidate += "_" }
    return candidate
  }

  private static func relationship(
    to destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.destinationEntity = destination
    return relationship
  }

  private static func connect(
    _ relationship: NSRelationshipDescription, _ inverse: NSRelationshipDescription
  ) {
    relationship.inverseRelationship = inverse
    inverse.inverseRelationship = relationship
  }

  /// Adds the inverse of a to-one relationship. It has no column, so its name is unknown.
  private mutating func addInverse(
    of relationship: NSRelationshipDescription, _ owner: NSEntityDescription
  ) {
    guard let destination = relationship.destinationEntity else { return }
    let inverse = Self.relationship(to: owner)
    Self.connect(relationship, inverse)
    add(inverse, "\((owner.name ?? "").lowercased())s_\(relationship.name)", to: destination)
  }

  /// Adds a join table: `Z_1BOOKS (Z_1AUTHORS, Z_2BOOKS)` means the relationships `books` of entity 1 and `authors`
  /// of entity 2.
  private mutating func addJoin(_ table: String, _ columns: [String]) {
    guard table.hasPrefix("Z_"), let (number, _) = Self.numbered(table),
      let owner = entities[number]
    else { return }
    let plain = columns.filter { !$0.hasPrefix("Z_FOK_") }
    guard plain.count == 2 else { return }
    if plain[1] == "REFLEXIVE", let (_, name) = Self.numbered(plain[0]) {
      let relationship = Self.relationship(to: owner)
      relationship.inverseRelationship = relationship
      add(relationship, spelled(name), to: owner)
      return
    }
    // In `Z_1BOOKS`, the column `Z_2BOOKS` contains the members, because the part of its name after the number begins
    // like that of the table. The other column contains the owners.
    guard
      let member = plain.first(where: { column in
        guard let (_, tableName) = Self.numbered(table), let (_, name) = Self.numbered(column)
        else { return false }
        return name.hasPrefix(tableName)
      }), let ownerColumn = plain.first(where: { $0 != member }),
      let (memberNumber, memberName) = Self.numbered(member),
      let (_, ownerName) = Self.numbered(ownerColumn), let destination = entities[memberNumber]
    else { return }
    let relationship = Self.relationship(to: destination)
    relationship.isOrdered = columns.contains("Z_FOK_" + member.dropFirst(2))
    let inverse = Self.relationship(to: owner)
    inverse.isOrdered = columns.contains("Z_FOK_" + ownerColumn.dropFirst(2))
    Self.connect(relationship, inverse)
    add(relationship, spelled(memberName), to: owner)
    add(inverse, spelled(ownerName), to: destination)
  }

  /// Returns the number and name in `Z_<number><NAME>`; nil for any other text.
  private static func numbered(_ text: String) -> (Int, String)? {
    guard text.hasPrefix("Z_") else { return nil }
    let rest = text.dropFirst(2)
    let digits = rest.prefix(while: \.isNumber)
    guard let number = Int(digits), digits.count < rest.count else { return nil }
    return (number, String(rest.dropFirst(digits.count)))
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
