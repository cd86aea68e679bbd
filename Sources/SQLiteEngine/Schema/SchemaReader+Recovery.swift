import StoreEngine

/// Recovers the schema of a store that is only read, if some of its metadata is missing.
extension SchemaReader {
  /// Returns the entity numbers, including those that `Z_PRIMARYKEY` lacks and that are inferred from the rows, but
  /// without those of entities whose table is missing. Also returns the missing parts.
  ///
  /// - Parameter hashes: The version hashes of the store's entities by name; nil if they are unknown.
  func recovered(
    _ known: [Int?], of model: ModelLayout, in tables: [String: [String]], hashes: [String: Any]?
  ) throws -> (numbers: [Int?], missingParts: [StoreSchema.MissingPart]) {
    func mayBeStored(_ name: String) -> Bool { hashes.map { $0[name] != nil } ?? true }
    var numbers = known
    var missingParts: [StoreSchema.MissingPart] = []
    // Includes the numbers of entities that the model does not have.
    let named = Set(try entityNumbers().values)
    var (lost, guessed): ([String], [String]) = ([], [])
    defer {
      if !lost.isEmpty {
        Log.storeNotice("the store \(url.path) has no tables of \(lost.joined(separator: ", "))")
      }
      if !guessed.isEmpty {
        Log.storeNotice(
          "Z_PRIMARYKEY of \(url.path) has no rows for \(guessed.joined(separator: ", ")); their numbers are"
            + " inferred from their tables")
      }
    }
    for root in model.entities where root.superlayout == nil {
      let table = StoreSchemaPlan.tableName(root)
      guard let columns = tables[table] else {
        // If neither the metadata nor Z_PRIMARYKEY contains an entity of the table, the store's configuration may not
        // include the table's entities.
        if root.family.contains(where: {
          known[$0.index] != nil || hashes?[$0.name] != nil
        }) {
          missingParts.append(StoreSchema.MissingPart(kind: .table(table), entity: root))
        }
        for member in root.family where numbers[member.index] != nil || mayBeStored(member.name) {
          lost.append(member.name)
          numbers[member.index] = nil
        }
        continue
      }
      let unknown = root.family.filter { numbers[$0.index] == nil && mayBeStored($0.name) }
      if unknown.isEmpty { continue }
      let found =
        columns.contains("Z_ENT")
        ? try numbersOfRows(in: table).filter { !named.contains($0) } : []
      let expected = StoreSchemaPlan.numbers(of: model, entities: Set(model.entities.map(\.name)))
      let guesses = unknown.compactMap { expected[$0.index] }
      if Set(found).isSubset(of: guesses), !guesses.contains(where: { numbers.contains($0) }) {
        for layout in unknown { numbers[layout.index] = expected[layout.index] }
      } else {
        // Entities and their numbers have the same order.
        let sorted = unknown.sorted { (expected[$0.index] ?? 0) < (expected[$1.index] ?? 0) }
        // Rows without an entity column are all read as rows of the root entity, whatever its number is.
        let free =
          columns.contains("Z_ENT")
          ? found : unusedNumbers(sorted.count, besides: named.union(numbers.compactMap(\.self)))
        for (layout, number) in zip(sorted, free) { numbers[layout.index] = number }
      }
      guessed += unknown.map(\.name)
      missingParts += unknown.filter { hashes != nil || $0.superlayout == nil }
        .map { StoreSchema.MissingPart(kind: .number, entity: $0) }
    }
    return (numbers, missingParts)
  }

  /// Returns unused numbers in ascending order. They are large, because rows of other tables are unlikely to have
  /// them.
  private func unusedNumbers(_ count: Int, besides used: Set<Int>) -> [Int] {
    Array((1..<16_000).filter { !used.contains($0) }.suffix(count))
  }

  private func numbersOfRows(in table: String) throws -> [Int] {
    try connection.rows(
      "SELECT DISTINCT Z_ENT FROM \(SQLText.name(table)) WHERE Z_ENT BETWEEN 1 AND 15999 ORDER BY 1"
    ) { Int($0.integer(0)) }
  }

  /// Removes from a plan the properties whose columns or tables are missing.
  func leaveOut(from plan: inout StoreSchemaPlan, _ tables: [String: [String]]) {
    func has(_ column: String, _ layout: EntityLayout) -> Bool {
      tables[StoreSchemaPlan.tableName(layout.root)]?.contains(column) == true
    }
    for layout in plan.model.entities {
      for slot in StoreSchemaPlan.ownSlots(layout) {
        switch plan.mappings[layout.index][slot] {
        case .none: break
        case .attribute(let column):
          if !has(column, layout) { plan.replace(.none, layout, slot) }
        case .toOne(let column, let entity, let order):
          plan.replace(
            has(column, layout)
              ? .toOne(
                column: column, entityColumn: entity.flatMap { has($0, layout) ? $0 : nil },
                orderColumn: order.flatMap { has($0, layout) ? $0 : nil })
              : .none, layout, slot)
        case .children(let column, let order, let hasInverse):
          guard let destination = layout.slots[slot].relationship?.destination else { break }
          plan.replace(
            has(column, destination)
              ? .children(
                column: column, orderColumn: order.flatMap { has($0, destination) ? $0 : nil },
                hasInverse: hasInverse)
              : .none, layout, slot)
        case .join(let join):
          let columns = tables[join.table] ?? []
          if !columns.contains(join.ownerColumn) || !columns.contains(join.memberColumn) {
            plan.replace(.none, layout, slot)
          }
        }
      }
    }
  }
}
