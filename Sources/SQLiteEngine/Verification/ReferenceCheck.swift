import StoreEngine

/// Checks that to-one relationships refer to existing rows, and that entity columns contain the entities of these
/// rows.
struct ReferenceCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.flatMap { property -> [StoreProblem] in
      guard case .toOne(let column, let entityColumn, let orderColumn) = property.mapping,
        let destination = property.slot.relationship?.destination,
        store.schema.contains(destination)
      else { return [] }
      let target = try store.schema.source(destination)
      let key = SQLText.name(column)
      let rows = "FROM \(property.table) AS t WHERE t.Z_ENT IN \(property.numbers)"
      let row =
        "SELECT 1 FROM \(target) d WHERE d.Z_PK = t.\(key)"
        + " AND d.Z_ENT IN \(store.possibleNumbers(destination))"
      let dangling = "t.\(key) IS NOT NULL AND NOT EXISTS (\(row))"
      let columns = [column, entityColumn, orderColumn].compactMap { $0 }
        .map { "\(SQLText.name($0)) = NULL" }.joined(separator: ", ")
      // An optional relationship is set to nil, and the version of the row is incremented, so that
      // contexts notice the change. A required relationship has no certain repair.
      let lost = try store.problem(
        .danglingReference, property.layout, property.slot, "\(rows) AND \(dangling)",
        CountedText("row refers", "rows refer", " to a missing row of \(destination.name)"),
        repairs: property.slot.isOptional
          ? [
            "UPDATE \(property.table) AS t SET \(columns), Z_OPT = IFNULL(Z_OPT, 0) + 1"
              + " WHERE t.Z_ENT IN \(property.numbers) AND \(dangling)"
          ] : [])
      guard let entityColumn, store.schema.rowsContainEntity(destination) else {
        return [lost].compactMap(\.self)
      }
      let entity = SQLText.name(entityColumn)
      let wrong = "EXISTS (\(row) AND d.Z_ENT IS NOT t.\(entity))"
      let misled = try store.problem(
        .entityColumn, property.layout, property.slot, "\(rows) AND \(wrong)",
        CountedText(
          "row stores a wrong entity for the row that it refers to",
          "rows store a wrong entity for the rows that they refer to"),
        repairs: [
          "UPDATE \(property.table) AS t SET \(entity) ="
            + " (SELECT d.Z_ENT FROM \(target) d WHERE d.Z_PK = t.\(key))"
            + " WHERE t.Z_ENT IN \(property.numbers) AND \(wrong)"
        ])
      return [lost, misled].compactMap(\.self)
    }
  }
}

/// Checks that the members of a to-many relationship without an inverse have an existing owner.
struct OwnerCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    try store.storedProperties.compactMap { property in
      guard case .children(let column, let orderColumn, false) = property.mapping,
        let member = property.slot.relationship?.destination
      else { return nil }
      let table = try store.schema.source(member)
      let key = SQLText.name(column)
      let condition =
        "t.\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(property.table) d"
        + " WHERE d.Z_PK = t.\(key) AND d.Z_ENT IN \(property.numbers))"
      let columns = [column, orderColumn].compactMap { $0 }
        .map { "\(SQLText.name($0)) = NULL" }.joined(separator: ", ")
      return try store.problem(
        .danglingReference, property.layout, property.slot, "FROM \(table) AS t WHERE \(condition)",
        CountedText("member has", "members have", " a missing owner"),
        repairs: [
          "UPDATE \(table) AS t SET \(columns), Z_OPT = IFNULL(Z_OPT, 0) + 1 WHERE \(condition)"
        ])
    }
  }
}
