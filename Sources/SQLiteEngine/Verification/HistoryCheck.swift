import StoreEngine

/// Checks the references between the tables of the history, and their next keys.
struct HistoryCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    var problems = try lostTables(in: store)
    guard try store.hasTable("ACHANGE"), try store.hasTable("ATRANSACTION") else {
      return problems
    }
    if let changes = try store.problem(
      .history, of: "Z_PK",
      "FROM ACHANGE WHERE ZTRANSACTIONID IS NULL"
        + " OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)",
      CountedText("change of the history has", "changes of the history have", " no transaction"))
    {
      problems.append(changes)
    }
    var counters = [("ACHANGE", "CHANGE"), ("ATRANSACTION", "TRANSACTION")]
    if try store.hasTable("ATRANSACTIONSTRING") {
      counters.append(("ATRANSACTIONSTRING", "TRANSACTIONSTRING"))
      problems += try ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"].compactMap {
        column in
        let isLost =
          "\(column) IS NOT NULL AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)"
        return try store.problem(
          .history, of: "Z_PK", "FROM ATRANSACTION WHERE \(isLost)",
          CountedText(
            "transaction has", "transactions have", " a name (\(column)) that does not exist"),
          repairs: ["UPDATE ATRANSACTION SET \(column) = NULL WHERE \(isLost)"])
      }
    }
    guard try KeyCounterCheck.hasCounters(in: store) else { return problems }
    for (table, name) in counters {
      let number = try store.connection.integer(
        "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)' AND Z_ENT >= 16000")
      guard let number else { continue }
      if let problem = try KeyCounterCheck.problem(of: table, number: Int(number), nil, in: store) {
        problems.append(problem)
      }
    }
    return problems
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
