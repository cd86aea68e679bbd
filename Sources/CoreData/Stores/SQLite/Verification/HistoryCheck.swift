/// Whether the tables of the history lead to one another, and their next keys are free.
struct HistoryCheck: StoreCheck {
  func problems(in store: VerifiedStore) throws -> [StoreProblem] {
    guard try store.hasTable("ACHANGE"), try store.hasTable("ATRANSACTION") else { return [] }
    var problems: [StoreProblem] = []
    let changes = try store.rows(
      "Z_PK",
      "FROM ACHANGE WHERE ZTRANSACTIONID IS NULL"
        + " OR ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)")
    if changes.count > 0 {
      problems.append(
        StoreProblem(
          .history, count: changes.count,
          "\(changes.count) changes of the history are of no transaction (keys \(changes.examples))"
        ))
    }
    var counters = [("ACHANGE", "CHANGE"), ("ATRANSACTION", "TRANSACTION")]
    if try store.hasTable("ATRANSACTIONSTRING") {
      counters.append(("ATRANSACTIONSTRING", "TRANSACTIONSTRING"))
      for column in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
        let lost = try store.rows(
          "Z_PK",
          "FROM ATRANSACTION WHERE \(column) IS NOT NULL"
            + " AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)")
        if lost.count == 0 { continue }
        problems.append(
          StoreProblem(
            .history, count: lost.count,
            "\(lost.count) transactions have a name (\(column)) that is not there"
              + " (keys \(lost.examples))",
            repairs: [
              "UPDATE ATRANSACTION SET \(column) = NULL WHERE \(column) IS NOT NULL"
                + " AND \(column) NOT IN (SELECT Z_PK FROM ATRANSACTIONSTRING)"
            ]))
      }
    }
    guard try store.hasTable("Z_PRIMARYKEY") else { return problems }
    for (table, name) in counters {
      let number = try store.connection.integer(
        "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)' AND Z_ENT >= 16000")
      guard let number else { continue }
      if let problem = try KeyCounterCheck.problem(
        of: table, number: Int(number), nil, in: store)
      {
        problems.append(problem)
      }
    }
    return problems
  }
}
