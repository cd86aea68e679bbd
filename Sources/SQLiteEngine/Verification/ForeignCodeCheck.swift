import StoreEngine

/// Finds parts of the file that run when it is read or written, and that this library does not create for the model.
struct ForeignCodeCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let connection = store.connection
    let code = try connection.foreignCode(besides: store.schema).map {
      "\($0.kind.rawValue) \($0.name)"
    }
    let views = try connection.texts(
      "SELECT 'view ' || name FROM sqlite_schema WHERE type = 'view' ORDER BY name")
    let names = try tables(on: connection) + code + views
    if names.isEmpty { return [] }
    return [
      StoreProblem(
        .foreignCode, count: names.count,
        "it contains parts that this library does not create for its model:"
          + " \(names.prefix(10).joined(separator: ", "))" + (names.count > 10 ? ", …" : ""))
    ]
  }

  private func tables(on connection: SQLiteConnection) throws -> [String] {
    // An R-tree contains only numbers, so one that is named like that of a fetch index is not reported.
    let trees = try SpecialTable.all(on: connection).filter { $0.isRTree && !$0.isIndexTree }
    // A view is listed with the other views.
    let foreign = try ForeignTable.all(on: connection).filter { !$0.isView }
    return trees.map { "virtual table \($0.name)" } + foreign.map(\.part)
  }
}
