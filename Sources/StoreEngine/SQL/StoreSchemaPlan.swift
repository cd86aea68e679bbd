/// The tables that Apple's Core Data creates for a model, computed from the model and the numbers of its entities.
///
/// The rules were derived from stores that Apple's frameworks wrote. An existing store is checked against them. Where
/// the rules allow several names, those in the store are used.
package struct StoreSchemaPlan {
  /// A column of an entity table.
  package struct Column {
    package let name: String
    package let type: String
    /// The group of the column, which determines its position in a new table.
    package let group: Group
    /// The number of the entity that declares it.
    package let owner: Int
    package let sortName: String
  }

  /// The groups of columns in a new table, in order. Within a group, columns are sorted by owner and then by name.
  package enum Group: Int {
    case integer, toOne, noInverse, order, number, decimal, string, uri, uuid, transformable, data
  }

  package struct Table {
    package let name: String
    package let root: EntityLayout
    package var columns: [Column] = []
    private var usedNames: Set<String> = []

    package init(name: String, root: EntityLayout) {
      self.name = name
      self.root = root
    }

    /// Adds a column. If a property of another entity has the same name, a digit is appended.
    package mutating func add(
      _ base: String, _ type: String, _ group: Group, owner: Int, sortName: String
    ) -> String {
      let name = StoreSchemaPlan.insert(base, into: &usedNames)
      columns.append(Column(name: name, type: type, group: group, owner: owner, sortName: sortName))
      return name
    }
  }

  package let model: ModelLayout
  /// The numbers of entities by entity index; nil for entities that the store does not contain.
  package let numbers: [Int?]
  package private(set) var tables: [Table] = []
  package private(set) var mappings: [[StoreSchema.Mapping]]
  package private(set) var joins: [JoinPlan] = []

  /// A many-to-many table with the names that follow from the rules.
  package struct JoinPlan {
    package let layout: EntityLayout
    package let slot: Int
    package let join: StoreSchema.JoinTable
  }

  package init(model: ModelLayout, numbers: [Int?]) {
    self.model = model
    self.numbers = numbers
    mappings = model.entities.map { Array(repeating: .none, count: $0.slots.count) }
    // Plan in this order: members refer to their owner in the column of a to-one relationship, and
    // the remaining to-many relationships need join tables.
    planOwnColumns()
    planChildren()
    planJoins()
    inheritMappings()
  }

  /// Numbers entities as Apple's Core Data does: depth first, siblings by name, ignoring case.
  package static func numbers(of model: ModelLayout, entities: Set<String>) -> [Int?] {
    var numbers = [Int?](repeating: nil, count: model.entities.count)
    // The table and the counter of primary keys belong to the root entity, so the root is included even if the
    // configuration does not contain it.
    let kept = Set(
      model.entities.filter { entities.contains($0.name) }
        .flatMap { sequence(first: $0, next: \.superlayout) }.map(\.index))
    var next = 1
    func visit(_ layouts: [EntityLayout]) {
      let sorted = layouts.sorted {
        // If names were compared in byte order, ten of 223 stores that Apple's Core Data wrote
        // would have other numbers.
        let (a, b) = ($0.name.lowercased(), $1.name.lowercased())
        return a == b ? $0.name < $1.name : a < b
      }
      for layout in sorted where kept.contains(layout.index) {
        numbers[layout.index] = next
        next += 1
        visit(layout.sublayouts)
      }
    }
    visit(model.entities.filter { $0.superlayout == nil })
    return numbers
  }

  /// Inserts a name and returns it. If the name is used, a digit is appended.
  private static func insert(_ base: String, into used: inout Set<String>) -> String {
    var name = base
    var digit = 0
    while !used.insert(name).inserted {
      digit += 1
      name = base + String(digit)
    }
    return name
  }

  // The prefix keeps the names of tables and columns from being keywords of SQL.
  package static func tableName(_ root: EntityLayout) -> String { "Z" + root.name.uppercased() }

  /// Returns the slots that an entity itself declares.
  package static func ownSlots(_ layout: EntityLayout) -> Range<Int> {
    (layout.superlayout?.slots.count ?? 0)..<layout.slots.count
  }

  /// Returns the name of a column. For an element of a composite attribute, it consists of the names in its path:
  /// `ZLOCATION_LATITUDE`.
  private static func columnName(_ slot: PropertySlot) -> String {
    "Z" + slot.name.uppercased().replacing(scalar: ".", with: "_")
  }

  /// The stored entities in the order of their numbers.
  private var numbered: [(layout: EntityLayout, number: Int)] {
    model.entities.compactMap { layout in numbers[layout.index].map { (layout, $0) } }
      .sorted { $0.1 < $1.1 }
  }

  private func tableIndex(_ layout: EntityLayout) -> Int? {
    tables.firstIndex { $0.root === layout.root }
  }

  private mutating func planOwnColumns() {
    for (layout, number) in numbered {
      if layout.superlayout == nil {
        // Numbers are assigned depth first, so a table exists before an
        // entity below its root needs it.
        tables.append(Table(name: Self.tableName(layout), root: layout))
      }
      guard let table = tableIndex(layout) else { continue }
      for slot in Self.ownSlots(layout).map({ layout.slots[$0] }) where !slot.isTransient {
        switch slot.kind {
        case .attribute(let storage):
          guard let (type, group) = Self.columnType(storage) else { continue }
          let column = tables[table].add(
            Self.columnName(slot), type, group, owner: number, sortName: slot.name)
          mappings[layout.index][slot.index] = .attribute(column: column)
        case .toOne:
          planToOne(slot, layout, number, table)
        case .toMany, .fetched, .composite: break
        }
      }
    }
  }

  private mutating func planToOne(
    _ slot: PropertySlot, _ layout: EntityLayout, _ number: Int, _ table: Int
  ) {
    guard let relationship = slot.relationship,
      let destinationNumber = numbers[relationship.destination.index]
    else { return }
    let name = slot.name.uppercased()
    let column = tables[table].add(
      "Z" + name, "INTEGER", .toOne, owner: number, sortName: slot.name)
    var entityColumn: String?
    // If the destination has subentities, the key alone does not determine the entity of the row.
    if !relationship.destination.sublayouts.isEmpty {
      entityColumn = tables[table].add(
        "Z\(destinationNumber)_" + name, "INTEGER", .toOne, owner: number, sortName: slot.name)
    }
    var orderColumn: String?
    if let inverse = relationship.inverse {
      let other = relationship.destination.slots[inverse]
      // The row of a member contains its position among the members of its owner.
      if other.kind == .toMany, other.relationship?.isOrdered == true {
        orderColumn = tables[table].add(
          "Z_FOK_" + name, "INTEGER", .order, owner: number, sortName: slot.name)
      }
    }
    mappings[layout.index][slot.index] = .toOne(
      column: column, entityColumn: entityColumn, orderColumn: orderColumn)
  }

  /// Plans to-many relationships whose members refer to their owner in a column.
  private mutating func planChildren() {
    for (layout, number) in numbered {
      for slot in Self.ownSlots(layout).map({ layout.slots[$0] }) where !slot.isTransient {
        guard slot.kind == .toMany, let relationship = slot.relationship,
          numbers[relationship.destination.index] != nil
        else { continue }
        let destination = relationship.destination
        if let inverse = relationship.inverse {
          // The column is that of the entity that declares the to-one relationship, which may be a superentity of
          // the destination.
          let owner = Self.declaringEntity(of: inverse, in: destination)
          if case .toOne(let column, _, let order) = mappings[owner.index][inverse] {
            mappings[layout.index][slot.index] = .children(
              column: column, orderColumn: relationship.isOrdered ? order : nil, hasInverse: true)
          }
        } else if let table = tableIndex(destination) {
          let name = "\(number)" + slot.name.uppercased()
          let column = tables[table].add(
            "Z" + name, "INTEGER", .noInverse, owner: number, sortName: slot.name)
          var orderColumn: String?
          if relationship.isOrdered {
            orderColumn = tables[table].add(
              "Z_FOK_" + name, "INTEGER", .order, owner: number, sortName: slot.name)
          }
          mappings[layout.index][slot.index] = .children(
            column: column, orderColumn: orderColumn, hasInverse: false)
        }
      }
    }
  }

  package static func declaringEntity(of slot: Int, in layout: EntityLayout) -> EntityLayout {
    var layout = layout
    while let parent = layout.superlayout, slot < parent.slots.count { layout = parent }
    return layout
  }

  private mutating func planJoins() {
    // Apple's Core Data appends a digit to a column name that another join table has. Names of tables follow the same
    // rule, because the names of an entity's relationships may differ only in case.
    var columnNames: Set<String> = []
    var tableNames = Set(tables.map(\.name))
    for (layout, number) in numbered {
      for slot in Self.ownSlots(layout).map({ layout.slots[$0] }) where !slot.isTransient {
        guard slot.kind == .toMany, let relationship = slot.relationship,
          let inverse = relationship.inverse,
          relationship.destination.slots[inverse].kind == .toMany,
          // The other side may have planned the table already.
          mappings[layout.index][slot.index] == .none
        else { continue }
        let other = Self.declaringEntity(of: inverse, in: relationship.destination)
        guard let otherNumber = numbers[other.index] else { continue }
        let inverseSlot = other.slots[inverse]
        if other === layout, inverse == slot.index {
          planReflexive(layout, slot, number, &tableNames)
          continue
        }
        // The table is named after the side with the lower entity number, unless only the entity of the other side has
        // subentities.
        let otherNames = layout.sublayouts.isEmpty && !other.sublayouts.isEmpty
        let (a, aSlot, aNumber, b, bSlot, bNumber) =
          otherNames
          ? (other, inverseSlot, otherNumber, layout, slot, number)
          : (layout, slot, number, other, inverseSlot, otherNumber)
        let ownerColumn = Self.insert(
          "Z_\(aNumber)" + bSlot.name.uppercased(), into: &columnNames)
        let memberColumn = Self.insert(
          "Z_\(bNumber)" + aSlot.name.uppercased(), into: &columnNames)
        let join = StoreSchema.JoinTable(
          table: Self.insert("Z_\(aNumber)" + aSlot.name.uppercased(), into: &tableNames),
          ownerColumn: ownerColumn, memberColumn: memberColumn,
          memberOrderColumn: aSlot.relationship?.isOrdered == true
            ? "Z_FOK_" + memberColumn.dropFirst(2) : nil,
          ownerOrderColumn: bSlot.relationship?.isOrdered == true
            ? "Z_FOK_" + ownerColumn.dropFirst(2) : nil,
          isReflexive: false)
        setJoin(join, a, aSlot.index, b, bSlot.index)
        joins.append(JoinPlan(layout: a, slot: aSlot.index, join: join))
      }
    }
  }

  private mutating func planReflexive(
    _ layout: EntityLayout, _ slot: PropertySlot, _ number: Int, _ tableNames: inout Set<String>
  ) {
    let name = "Z_\(number)" + slot.name.uppercased()
    let join = StoreSchema.JoinTable(
      table: Self.insert(name, into: &tableNames), ownerColumn: name, memberColumn: "REFLEXIVE",
      memberOrderColumn: nil, ownerOrderColumn: nil, isReflexive: true)
    mappings[layout.index][slot.index] = .join(join)
    joins.append(JoinPlan(layout: layout, slot: slot.index, join: join))
  }

  /// Sets a join table for both sides.
  package mutating func setJoin(
    _ join: StoreSchema.JoinTable, _ layout: EntityLayout, _ slot: Int, _ other: EntityLayout,
    _ inverse: Int
  ) {
    mappings[layout.index][slot] = .join(join)
    mappings[other.index][inverse] = .join(
      StoreSchema.JoinTable(
        table: join.table, ownerColumn: join.memberColumn, memberColumn: join.ownerColumn,
        memberOrderColumn: join.ownerOrderColumn, ownerOrderColumn: join.memberOrderColumn,
        isReflexive: false))
  }

  /// Copies the mappings of inherited slots to subentities.
  package mutating func inheritMappings() {
    for layout in model.entities {
      // Superentities precede their subentities, so mappings are passed on through all levels.
      guard let parent = layout.superlayout else { continue }
      for slot in parent.slots.indices {
        mappings[layout.index][slot] = mappings[parent.index][slot]
      }
    }
  }

  /// Replaces a mapping that follows the rules with that of an existing store.
  package mutating func replace(_ mapping: StoreSchema.Mapping, _ layout: EntityLayout, _ slot: Int)
  {
    mappings[layout.index][slot] = mapping
  }

  /// Returns the schema in the form that stores use.
  ///
  /// - Parameters:
  ///   - rTrees: The columns of the R-trees in the store, by table.
  ///   - missingParts: The missing parts of the store.
  package func schema(
    rTrees: [String: Set<String>] = [:], missingParts: [StoreSchema.MissingPart] = []
  ) -> StoreSchema {
    StoreSchema(
      model: model, numbers: numbers,
      tables: model.entities.map { layout in
        numbers[layout.index] == nil ? nil : Self.tableName(layout.root)
      },
      mappings: mappings, rTrees: rTrees, missingParts: missingParts)
  }

  private static func columnType(_ storage: AttributeStorage) -> (String, Group)? {
    switch storage {
    case .integer16, .integer32, .integer64, .boolean: ("INTEGER", .integer)
    case .double, .float: ("FLOAT", .number)
    case .date: ("TIMESTAMP", .number)
    // This type has numeric affinity, which rounds numbers of more than about 15 digits
    // (`NSDecimalNumber.isRoundedByColumn`).
    case .decimal: ("DECIMAL", .decimal)
    case .string: ("VARCHAR", .string)
    case .uri: ("VARCHAR", .uri)
    case .uuid: ("BLOB", .uuid)
    case .data: ("BLOB", .data)
    case .transformable: ("BLOB", .transformable)
    case .object: nil
    }
  }
}
