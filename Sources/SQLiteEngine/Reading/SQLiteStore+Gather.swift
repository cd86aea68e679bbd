import StoreEngine

extension SQLiteStore {
  var groupsRows: Bool { true }

  func gather(
    _ expressions: [BoundExpression], of plan: DictionaryQuery, isGrouped: Bool,
    _ body: ([StoredValue]) throws -> Void
  ) throws {
    guard contains(plan.rows.layout) else { return }
    let sql = try sql(.values(expressions, of: plan, isGrouped: isGrouped))
    let columns = expressions.map { ($0.kind, $0.isMarkedExternal) }
    externalUse?.pin()
    defer { externalUse?.unpin() }
    try run(sql, plan.rows.cancellation) { statement in
      var values: [StoredValue] = []
      while try statement.step() {
        values.removeAll(keepingCapacity: true)
        for (index, (kind, isMarked)) in columns.enumerated() {
          if isMarked {
            values.append(value(ofMarked: index, statement))
          } else if case .object = kind {
            // Rows of different stores may have the same key, so IDs are collected.
            values.append(statement.value(index, of: kind, origin: origin))
          } else {
            values.append(statement.plainValue(index))
          }
        }
        try body(values)
      }
    }
  }

  /// Returns the bytes of a value, even if they are in a file. The database that collects the rows of several stores
  /// cannot find this store's files.
  private func value(ofMarked column: Int, _ statement: SQLiteStatement) -> StoredValue {
    if statement.isNull(column) { return .null }
    return external.value(statement.blobBytes(column)).map(StoredValue.data) ?? .null
  }
}

extension BoundExpression {
  /// Whether the value begins with a mark that shows whether its bytes are in the row or in a file.
  fileprivate var isMarkedExternal: Bool {
    switch self {
    case .property(let path): path.attribute.map(\.mayBeExternal) ?? false
    case .element(_, _, let element): element.isMarkedExternal
    default: false
    }
  }
}
