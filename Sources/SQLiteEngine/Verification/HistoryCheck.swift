import StoreEngine

/// Checks that the tables and columns of the history exist, that their references lead to existing rows, and that the
/// next keys are correct.
struct HistoryCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    let present = try HistorySchema.counters.filter { try store.hasTable($0.table) }
    let columns = try Dictionary(
      uniqueKeysWithValues: present.map { ($0.table, try store.columns(of: $0.table)) })
    return try lostTables(in: store) + lostColumns(columns) + references(columns, in: store)
      + counters(present.filter { columns[$0.table]?.contains("Z_PK") == true }, in: store)
  }

  /// Returns the missing columns. Those other than `Z_PK` are created again, empty, when the history continues.
  private func lostColumns(_ columns: [String: Set<String>]) -> [StoreProblem] {
    let keepsStrings =
      columns["ATRANSACTIONSTRING"] != nil
      || columns["ATRANSACTION"]?.isDisjoint(with: HistorySchema.stringColumns) == false
    return columns.sorted { $0.key < $1.key }.compactMap { table, present in
      let lost = HistorySchema.requiredColumns(of: table, keepsStrings: keepsStrings)
        .filter { !present.contains($0) }
      if lost.isEmpty { return nil }
      return StoreProblem(
        .history, count: lost.count,
        "the table \(table) lacks \(lost.joined(separator: ", ")): its part of the history is lost")
    }
  }

  /// Returns the changes without a transaction, and the transactions with names that do not exist.
  private func references(
    _ columns: [String: Set<String>], in store: VerifiedStore
  ) throws -> [StoreProblem] {
    guard let transactions = columns["ATRANSACTION"], transactions.contains("Z_PK") else {
      return []
    }
    var problems: [StoreProblem] = []
    if columns["ACHANGE"]?.isSuperset(of: ["Z_PK", "ZTRANSACTIONID"]) == true,
      let changes = try store.problem(
        .history, of: "Z_PK",
        "FROM ACHANGE WHERE ZTRANSACTIONID IS NULL"
          + " OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)",
        CountedText("change of the history has", "changes of the history have", " no transaction"))
    {
      problems.append(changes)
    }
    guard columns["ATRANSACTIONSTRING"]?.contains("Z_PK") == true else { return problems }
    return try problems
      + HistorySchema.stringColumns.filter(transactions.contains).compactMap { column in
        let isLost =
          "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)"
        return try store.problem(
          .history, of: "Z_PK", "FROM ATRANSACTION WHERE \(isLost)",
          CountedText(
            "transaction has", "transactions have", " a name (\(column)) that does not exist"),
          repairs: ["UPDATE ATRANSACTION SET \(column) = NULL WHERE \(isLost)"])
      }
  }

  /// Returns the tables whose next key is missing or wrong.
  private func counters(
    _ tables: [(table: String, number: Int64, statement: String)], in store: VerifiedStore
  ) throws -> [StoreProblem] {
    guard try KeyCounterCheck.hasCounters(in: store) else { return [] }
    let mayAdd = try store.columns(of: "Z_PRIMARYKEY").contains("Z_SUPER")
    return try tables.compactMap { table, number, statement in
      let isPresent = try store.connection.integer(
        "SELECT EXISTS (SELECT 1 FROM Z_PRIMARYKEY WHERE Z_ENT = \(number))")
      guard isPresent == 0 else {
        return try KeyCounterCheck.problem(of: table, number: Int(number), nil, in: store)
      }
      return StoreProblem(
        .keyCounter, count: 1,
        "Z_PRIMARYKEY has no row for the history's table \(table) (\(number))",
        repairs: mayAdd ? [statement] : [])
    }
  }

  /// Returns the missing tables whose keys were allocated. They are created again, empty, when the history continues.
  private func lostTables(in store: VerifiedStore) throws -> [StoreProblem] {
    guard try KeyCounterCheck.hasCounters(in: store) else { return [] }
    return try ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"].compactMap { name in
      if try store.hasTable("A\(name)") { return nil }
      let last = try store.connection.integer(
        "SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)' AND Z_ENT >= 16000")
      guard let last, last > 0 else { return nil }
      return StoreProblem(
        .history, count: 1,
        "the table A\(name) is missing, although its keys were allocated up to \(last): its part of the"
          + " history is lost")
    }
  }
}
