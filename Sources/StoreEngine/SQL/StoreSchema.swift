/// Which table and columns of one open store hold which slot of which entity.
///
/// Made once when a store is opened, from the store's own entity numbers and column names: the
/// numbers are alphabetical in each model, so the same entity has different ones in different
/// stores.
@usableFromInline
package final class StoreSchema: @unchecked Sendable {
  /// Where a slot's values are.
  package enum Mapping: Equatable {
    /// Nowhere: transient, fetched, or not in this store's configuration.
    case none
    case attribute(column: String)
    /// - `entityColumn` says which subentity the destination is, where it has any;
    /// - `orderColumn` gives the place among the owner's ordered children.
    case toOne(column: String, entityColumn: String?, orderColumn: String?)
    /// The rows of the destination's table whose key column names the owner.
    case children(column: String, orderColumn: String?, hasInverse: Bool)
    case join(JoinTable)

    /// The column of an attribute's value, or of the key of a to-one relationship's destination; nil for the others.
    package var column: String? {
      switch self {
      case .attribute(let column), .toOne(let column, _, _): column
      case .none, .children, .join: nil
      }
    }
  }

  /// A many-to-many table, from the side of one of its relationships.
  package struct JoinTable: Equatable {
    package let table: String
    /// Keys of the relationship's owners.
    package let ownerColumn: String
    /// Keys of its members.
    package let memberColumn: String
    /// The place of a member among its owner's members.
    package let memberOrderColumn: String?
    /// The place of the owner among the member's owners, for an ordered inverse.
    package let ownerOrderColumn: String?
    /// A relationship that is its own inverse: each pair stands twice, once in each direction.
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

  /// What the model needs and the file does not have: such a store can only be read.
  package struct Lack: CustomStringConvertible {
    package enum Part: Equatable {
      case table(String)
      /// The table's name and the column's: `ZPLAYER.ZNAME`.
      case column(String)
      /// The row of `Z_PRIMARYKEY` with the entity's number.
      case number
    }

    package let part: Part
    package let entity: EntityLayout
    /// The property whose values are in it; nil for what is of the entity.
    package var slot: Int?

    package init(part: Part, entity: EntityLayout, slot: Int? = nil) {
      self.part = part
      self.entity = entity
      self.slot = slot
    }

    package var description: String {
      switch part {
      case .table(let name): "table \(name)"
      case .column(let name): "column \(name)"
      case .number: "row of Z_PRIMARYKEY for \(entity.name)"
      }
    }
  }

  /// The names of the columns that each table of rows has, whatever its entity.
  package struct OwnColumns: Sendable {
    package let key: String
    package let entity: String
    package let version: String

    /// Those of Apple's SQLite stores.
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
  /// By entity index: the store's number of the entity (`Z_ENT`), or nil when it is not stored.
  package let numbers: [Int?]
  /// By entity index: the table.
  package let tables: [String?]
  /// By entity index and slot.
  package let mappings: [[Mapping]]
  /// The columns of each R-tree of a fetch index, by its table.
  package let rTrees: [String: Set<String>]
  /// What the file does not have, for a store that is only read; others have all.
  package let lacks: [Lack]
  /// What a table's rows are read from in place of the table, where it lacks one of Core Data's own columns; by the
  /// table. Empty for a store that can be written.
  private let sources: [String: String]
  private let layoutsByNumber: [Int: EntityLayout]
  /// Whether decimals that their column would round are kept as their digits in UTF-8 bytes, which no affinity
  /// converts: in the rows of atomic stores. Set before the store is in use.
  @exclusivity(unchecked)
  @usableFromInline package var keepsExactDecimals = false

  package init(
    model: ModelLayout, numbers: [Int?], tables: [String?], mappings: [[Mapping]],
    rTrees: [String: Set<String>] = [:], lacks: [Lack] = [], own: OwnColumns = .apple
  ) {
    self.own = own
    self.rTrees = rTrees
    self.lacks = lacks
    sources = Self.sources(of: model, numbers, tables, lacks)
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

  /// A value as a cell keeps it.
  @inlinable @inline(__always)
  package func cell(_ value: StoredValue) -> StoredValue {
    keepsExactDecimals ? exactCell(value) : value
  }

  @usableFromInline func exactCell(_ value: StoredValue) -> StoredValue {
    guard case .decimal(let number) = value, number.isRoundedByColumn else { return value }
    return .data(Data(number.stringValue.utf8))
  }

  package func layout(number: Int) -> EntityLayout? { layoutsByNumber[number] }

  package func mapping(_ layout: EntityLayout, _ slot: Int) -> Mapping {
    mappings[layout.index][slot]
  }

  package func contains(_ layout: EntityLayout) -> Bool { tables[layout.index] != nil }

  package func table(_ layout: EntityLayout) throws -> String {
    guard let table = tables[layout.index] else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "the store does not hold entity \(layout.name)")
    }
    return table
  }

  /// Queries that add Core Data's own columns to the rows of the tables that lack some of them.
  private static func sources(
    of model: ModelLayout, _ numbers: [Int?], _ tables: [String?], _ lacks: [Lack]
  ) -> [String: String] {
    var sources: [String: String] = [:]
    if lacks.isEmpty { return sources }
    for root in model.entities where root.superlayout == nil {
      guard let table = root.family.lazy.compactMap({ tables[$0.index] }).first else { continue }
      let columns = OwnColumns.apple.names.compactMap { name -> String? in
        guard lacks.contains(where: { $0.part == .column("\(table).\(name)") }) else { return nil }
        switch name {
        case "Z_PK": return "rowid AS Z_PK"
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

  /// What a query reads the rows of an entity's table from, as SQL: mostly the table's name.
  package func source(_ layout: EntityLayout) throws -> String {
    let table = try table(layout)
    if sources.isEmpty { return SQLText.name(table) }
    return sources[table] ?? SQLText.name(table)
  }

  /// Whether the values of a relationship cannot be read because the store lost a table or column.
  package func hasLost(_ layout: EntityLayout, _ slot: Int) -> Bool {
    if lacks.isEmpty { return false }
    guard let destination = layout.slots[slot].relationship?.destination else { return false }
    return mapping(layout, slot) == .none || !contains(destination)
  }

  /// Whether the rows of an entity's table say which entity each is of.
  package func namesEntities(_ layout: EntityLayout) -> Bool {
    guard !sources.isEmpty, let table = tables[layout.index] else { return true }
    return !lacks.contains { $0.part == .column("\(table).Z_ENT") }
  }

  /// Throws where the rows of some entities cannot be distinguished from those of others in one table, because it lost the
  /// column that says which entity each row is of. All of them are then read as rows of the root entity.
  package func requireDistinct(_ layouts: [EntityLayout], root: EntityLayout) throws {
    if sources.isEmpty || layouts.contains(where: { $0 === root }) { return }
    guard let stored = layouts.first(where: contains), !namesEntities(stored),
      entityFilter(layouts, root: root) != nil
    else { return }
    let table = try table(stored)
    let names = layouts.map(\.name).joined(separator: ", ")
    throw CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError,
      "the table \(table) has no column Z_ENT, which tells the rows of \(names) from others: fetch"
        + " \(root.name), which all of its rows are read as")
  }

  package func number(_ layout: EntityLayout) throws -> Int {
    guard let number = numbers[layout.index] else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "the store does not hold entity \(layout.name)")
    }
    return number
  }

  /// The entity numbers that a request for some entities must ask for, or nil when they are all
  /// that the table holds.
  package func entityFilter(_ layouts: [EntityLayout], root: EntityLayout) -> [Int]? {
    let all = root.family.compactMap { numbers[$0.index] }
    let wanted = layouts.compactMap { numbers[$0.index] }
    return wanted.count == all.count ? nil : wanted
  }
}
