/// The tables and columns in which an open store keeps entities and their slots.
///
/// Created once when a store is opened, from the store's own entity numbers and column names. The number of an entity
/// depends on the other entities of the model, so an entity may have different numbers in stores of different models.
@usableFromInline
package final class StoreSchema: @unchecked Sendable {
  /// The location of a slot's values.
  package enum Mapping: Equatable {
    /// Without a location: a slot that is not stored, such as a transient, fetched or composite property, or one whose
    /// entity, table or column the store lacks.
    case none
    case attribute(column: String)
    /// A foreign key. `entityColumn` contains the entity of the destination, if the relationship's destination entity
    /// has subentities. `orderColumn` contains the position among the owner's ordered children.
    case toOne(column: String, entityColumn: String?, orderColumn: String?)
    /// The rows of the destination's table with the owner's key in the column.
    case children(column: String, orderColumn: String?, hasInverse: Bool)
    case join(JoinTable)

    /// The column of an attribute's value, or of a to-one relationship's destination key; nil for other slots.
    package var column: String? {
      switch self {
      case .attribute(let column), .toOne(let column, _, _): column
      case .none, .children, .join: nil
      }
    }
  }

  /// The join table of a many-to-many relationship, from the side of one of the relationships.
  package struct JoinTable: Equatable {
    package let table: String
    /// The column with the keys of the relationship's owners.
    package let ownerColumn: String
    /// The column with the keys of its members.
    package let memberColumn: String
    /// The column with the position of a member among its owner's members.
    package let memberOrderColumn: String?
    /// The column with the position of the owner among the member's owners, for an ordered inverse.
    package let ownerOrderColumn: String?
    /// Whether the relationship is its own inverse. Then each pair is stored twice, once in each direction.
    package let isReflexive: Bool

    package init(
      table: String, ownerColumn: String, memberColumn: String, memberOrderColumn: String?,
      ownerOrderColumn: String?, isReflexive: Bool
    ) {
      self.table = table
      self.ownerColumn = ownerColumn
      self.memberColumn = memberColumn
      self.memberOrderColumn = memberOrderColumn
      self.ownerOrderColumn = ownerOrderColumn
      self.isReflexive = isReflexive
    }
  }

  /// Something that the model requires and the file lacks. Such a store can only be read.
  package struct MissingPart: CustomStringConvertible {
    package enum Kind: Equatable {
      case table(String)
      /// The names of the table and the column: `ZPLAYER.ZNAME`.
      case column(String)
      /// The row of `Z_PRIMARYKEY` with the number of the entity.
      case number
    }

    package let kind: Kind
    package let entity: EntityLayout
    /// The property whose values are missing; nil for a part of the whole entity.
    package var slot: Int?

    package init(kind: Kind, entity: EntityLayout, slot: Int? = nil) {
      self.kind = kind
      self.entity = entity
      self.slot = slot
    }

    package var description: String {
      switch kind {
      case .table(let name): "table \(name)"
      case .column(let name): "column \(name)"
      case .number: "row of Z_PRIMARYKEY for \(entity.name)"
      }
    }
  }

  /// The names of the columns that the tables of all entities have.
  package struct OwnColumns: Sendable {
    package let key: String
    package let entity: String
    package let version: String

    /// The names in Apple's SQLite stores.
    package static let apple = OwnColumns(key: "Z_PK", entity: "Z_ENT", version: "Z_OPT")

    package init(key: String, entity: String, version: String) {
      self.key = key
      self.entity = entity
      self.version = version
    }

    package var names: [String] { [key, entity, version] }
  }

  package let model: ModelLayout
  package let own: OwnColumns
  /// The store's number of each entity (`Z_ENT`) by entity index; nil for an entity that is not in the store.
  package let numbers: [Int?]
  /// The tables by entity index.
  package let tables: [String?]
  /// The mappings by entity index and slot.
  package let mappings: [[Mapping]]
  /// The columns of the R-trees of fetch indexes, by table.
  package let rTrees: [String: Set<String>]
  /// The missing parts of a store that can only be read. A writable store has none.
  package let missingParts: [MissingPart]
  /// The queries that replace tables that lack some of Core Data's own columns, by table. Empty for a writable store.
  private let sources: [String: String]
  private let layoutsByNumber: [Int: EntityLayout]
  /// Whether decimals that their column would round are stored as digits; see ``StoredValue/exactCell``. This is so in
  /// the rows of atomic stores. Set before the store is used.
  @exclusivity(unchecked)
  @usableFromInline package var keepsExactDecimals = false

  package init(
    model: ModelLayout, numbers: [Int?], tables: [String?], mappings: [[Mapping]],
    rTrees: [String: Set<String>] = [:], missingParts: [MissingPart] = [], own: OwnColumns = .apple
  ) {
    self.own = own
    self.rTrees = rTrees
    self.missingParts = missingParts
    sources = Self.sources(of: model, numbers, tables, missingParts)
    self.model = model
    self.numbers = numbers
    self.tables = tables
    self.mappings = mappings
    var layouts: [Int: EntityLayout] = [:]
    for layout in model.entities {
      if let number = numbers[layout.index] { layouts[number] = layout }
    }
    layoutsByNumber = layouts
  }

  /// Returns a value in the form of a cell.
  @inlinable @inline(__always)
  package func cell(_ value: StoredValue) -> StoredValue {
    keepsExactDecimals ? value.exactCell : value
  }

  package func layout(number: Int) -> EntityLayout? { layoutsByNumber[number] }

  /// Returns the entity with a number that a row or a reference contains, if it is the declared entity or one of its
  /// subentities; otherwise the declared entity.
  ///
  /// A file may contain the number of any entity. Slot numbers are valid only for the subentities of an entity.
  package func layout(number: Int, declared: EntityLayout) -> EntityLayout {
    guard let layout = layoutsByNumber[number], layout.isKind(of: declared) else { return declared }
    return layout
  }

  /// Returns the SQL for the number of a row's entity: the content of its entity column, or the number of the declared
  /// entity if the column contains the number of no entity in the table.
  package func entityNumber(_ column: String, declared: EntityLayout) throws -> String {
    let known = declared.root.family.compactMap { numbers[$0.index] }.map(String.init)
    return "CASE WHEN \(column) IN (\(known.joined(separator: ", "))) THEN \(column)"
      + " ELSE \(try number(declared)) END"
  }

  package func mapping(_ layout: EntityLayout, _ slot: Int) -> Mapping {
    mappings[layout.index][slot]
  }

  package func contains(_ layout: EntityLayout) -> Bool { tables[layout.index] != nil }

  package func table(_ layout: EntityLayout) throws -> String {
    guard let table = tables[layout.index] else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "the store does not contain entity \(layout.name)")
    }
    return table
  }

  /// Returns queries that add Core Data's own columns to the tables that lack some of them.
  private static func sources(
    of model: ModelLayout, _ numbers: [Int?], _ tables: [String?], _ missingParts: [MissingPart]
  ) -> [String: String] {
    var sources: [String: String] = [:]
    if missingParts.isEmpty { return sources }
    for root in model.entities where root.superlayout == nil {
      guard let table = root.family.lazy.compactMap({ tables[$0.index] }).first else { continue }
      let columns = OwnColumns.apple.names.compactMap { name -> String? in
        guard missingParts.contains(where: { $0.kind == .column("\(table).\(name)") }) else {
          return nil
        }
        switch name {
        // SQLite's own row number identifies a row without a key.
        case "Z_PK": return "rowid AS Z_PK"
        // Versions never change, because such a store can only be read.
        case "Z_OPT": return "1 AS Z_OPT"
        default:
          let number = root.family.lazy.compactMap { numbers[$0.index] }.first
          return "\(number ?? 0) AS Z_ENT"
        }
      }
      if columns.isEmpty { continue }
      sources[table] = "(SELECT *, \(columns.joined(separator: ", ")) FROM \(SQLText.name(table)))"
    }
    return sources
  }

  /// Returns the SQL for the rows of an entity's table, which is usually the name of the table.
  package func source(_ layout: EntityLayout) throws -> String {
    let table = try table(layout)
    if sources.isEmpty { return SQLText.name(table) }
    return sources[table] ?? SQLText.name(table)
  }

  /// Returns whether the values of a relationship cannot be read, because a table or column is missing.
  package func isMissing(_ layout: EntityLayout, _ slot: Int) -> Bool {
    if missingParts.isEmpty { return false }
    guard let destination = layout.slots[slot].relationship?.destination else { return false }
    return mapping(layout, slot) == .none || !contains(destination)
  }

  /// Returns whether the rows of an entity's table contain their entity.
  package func rowsContainEntity(_ layout: EntityLayout) -> Bool {
    guard !sources.isEmpty, let table = tables[layout.index] else { return true }
    return !missingParts.contains { $0.kind == .column("\(table).Z_ENT") }
  }

  /// Throws an error if the rows of some entities cannot be distinguished from those of other entities in the table,
  /// because the entity column is missing. Then all rows are read as rows of the root entity.
  package func requireDistinct(_ layouts: [EntityLayout], root: EntityLayout) throws {
    // Without the column, all rows are read as rows of the root, so a request for the root entity finds all of them.
    if sources.isEmpty || layouts.contains(where: { $0 === root }) { return }
    guard let stored = layouts.first(where: contains), !rowsContainEntity(stored),
      entityFilter(layouts, root: root) != nil
    else { return }
    let table = try table(stored)
    let names = layouts.map(\.name).joined(separator: ", ")
    throw CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError,
      "the table \(table) lacks the column Z_ENT, which distinguishes the rows of \(names): fetch"
        + " \(root.name) instead, because all rows are read as its rows")
  }

  package func number(_ layout: EntityLayout) throws -> Int {
    guard let number = numbers[layout.index] else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "the store does not contain entity \(layout.name)")
    }
    return number
  }

  /// Returns the entity numbers that a request for some entities must filter by; nil if these are all entities in the
  /// table.
  package func entityFilter(_ layouts: [EntityLayout], root: EntityLayout) -> [Int]? {
    let all = root.family.compactMap { numbers[$0.index] }
    let wanted = layouts.compactMap { numbers[$0.index] }
    // A condition that all rows satisfy would cost time, and SQLite might choose the index on entities.
    return wanted.count == all.count ? nil : wanted
  }
}
