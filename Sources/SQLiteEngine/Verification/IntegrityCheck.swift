import StoreEngine

/// Whether SQLite can read every page, and indexes have what their tables have.
struct IntegrityCheck {
  let connection: SQLiteConnection

  /// An index can be made anew from its table; what is wrong with a table is lost.
  private static func isOfIndex(_ message: String) -> Bool {
    message.contains(" missing from index ") || message.hasPrefix("wrong # of entries in index ")
  }

  func problems() throws -> [StoreProblem] {
    var messages: [String] = []
    do {
      try connection.run("PRAGMA integrity_check(100)") { messages.append($0.text(0)) }
    } catch let error as SQLiteError where error.isDamage {
      messages.append(error.message)
    }
    if messages == ["ok"] { return [] }
    let shown = messages.prefix(5).joined(separator: "; ") + (messages.count > 5 ? "; …" : "")
    let isRepairable = messages.allSatisfy(Self.isOfIndex)
    return [
      StoreProblem(
        .damage, count: messages.count, "SQLite finds it damaged: \(shown)",
        repairs: isRepairable ? ["REINDEX"] : [])
    ]
  }
}
