import StoreEngine

/// Migrates the history of a store: its changes become changes of the new model's entities and properties.
extension InPlaceMigration {
  func migrateHistory() throws {
    let columns = try HistorySchema.columns(of: "ACHANGE", on: connection)
    guard columns.contains("ZENTITY") else { return }
    let schema = plan.schema()
    var pairs: [(old: EntityLayout, new: EntityLayout, from: Int, to: Int)] = []
    for layout in sources.new.entities {
      guard let source = sources.source(of: layout), let from = old.numbers[source.index],
        let to = plan.numbers[layout.index]
      else { continue }
      pairs.append((source, layout, from, to))
    }
    // Changes of removed entities cannot be represented.
    let kept = pairs.map { String($0.from) }.joined(separator: ", ")
    try connection.execute("DELETE FROM ACHANGE WHERE ZENTITY NOT IN (\(kept))")
    if columns.contains("ZCOLUMNS") {
      for pair in pairs { try migrateMasks(pair.old, pair.new, pair.from, schema) }
    }
    try migrateTombstones(pairs.map { ($0.old, $0.new, $0.from) }, schema)
    // The entity numbers change last, because masks and tombstones are found by the old numbers, and all at once,
    // because entities may exchange their numbers.
    let changed = pairs.filter { $0.from != $0.to }
    guard !changed.isEmpty else { return }
    let cases = changed.map { "WHEN \($0.from) THEN \($0.to)" }.joined(separator: " ")
    try connection.execute("UPDATE ACHANGE SET ZENTITY = CASE ZENTITY \(cases) ELSE ZENTITY END")
  }

  /// Updates the masks of changed properties. The order of their bits depends on the kinds and names of all properties
  /// of the entity (`ChangedColumns`).
  private func migrateMasks(
    _ source: EntityLayout, _ layout: EntityLayout, _ number: Int, _ schema: StoreSchema
  ) throws {
    let before = ChangedColumns(source, old)
    let after = ChangedColumns(layout, schema)
    var masks: [(old: Data, new: Data?)] = []
    try connection.run(
      "SELECT DISTINCT ZCOLUMNS FROM ACHANGE WHERE ZENTITY = \(number) AND ZCOLUMNS IS NOT NULL"
    ) { row in
      let mask = row.data(0)
      let slots = before.slots(of: mask).map { known in
        layout.slots.map(\.index).filter { slot in
          sources.slot(slot, of: layout).map(known.contains) == true
        }
      }
      let new = slots.map { after.mask($0.filter { plan.mappings[layout.index][$0] != .none }) }
      if new != mask { masks.append((mask, new)) }
    }
    if masks.isEmpty { return }
    // All masks change at once, because the new form of one may equal the old form of another.
    try connection.execute("DROP TABLE IF EXISTS temp.OpenCoreData_masks")
    try connection.execute(
      "CREATE TABLE temp.OpenCoreData_masks (before BLOB PRIMARY KEY, after BLOB)")
    for (old, new) in masks {
      try connection.run(
        "INSERT INTO temp.OpenCoreData_masks (before, after) VALUES (?1, ?2)",
        [.data(old), new.map(StoredValue.data) ?? .null])
    }
    try connection.execute(
      "UPDATE ACHANGE SET ZCOLUMNS = m.after FROM temp.OpenCoreData_masks AS m"
        + " WHERE ZENTITY = \(number) AND ZCOLUMNS = m.before")
    try connection.execute("DROP TABLE temp.OpenCoreData_masks")
  }

  /// Updates the values of deleted objects. Their columns are in the order of the names of the preserved attributes.
  private func migrateTombstones(
    _ pairs: [(old: EntityLayout, new: EntityLayout, number: Int)], _ schema: StoreSchema
  ) throws {
    var moves: [(number: Int, sources: [Int?])] = []
    var count = 0
    for (old, new, number) in pairs {
      let before = StoreHistory.preserved(old, self.old)
      let after = StoreHistory.preserved(new, schema)
      let places = after.map { slot in
        sources.slot(slot, of: new).flatMap { before.firstIndex(of: $0) }
      }
      count = max(count, before.count, after.count)
      if places != before.indices.map({ $0 }) { moves.append((number, places)) }
    }
    if moves.isEmpty { return }
    try HistorySchema.complete(on: connection, tombstones: count)
    let changes = (0..<count).map { place in
      let cases = moves.map { move in
        let source = move.sources.indices.contains(place) ? move.sources[place] : nil
        return "WHEN \(move.number) THEN \(source.map { "ZTOMBSTONE\($0)" } ?? "NULL")"
      }
      return "ZTOMBSTONE\(place) = CASE ZENTITY \(cases.joined(separator: " "))"
        + " ELSE ZTOMBSTONE\(place) END"
    }
    try connection.execute("UPDATE ACHANGE SET \(changes.joined(separator: ", "))")
  }
}
