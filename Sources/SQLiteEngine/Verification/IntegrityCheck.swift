import StoreEngine

/// Checks that SQLite can read every page, and that indexes match their tables.
struct IntegrityCheck {
  /// The statement that builds all indexes again.
  static let repair = "REINDEX"

  let connection: SQLiteConnection

  /// Returns whether a message is about an index, which can be rebuilt from its table. Damage in a table is
  /// permanent.
  static func isOfIndex(_ message: String) -> Bool {
    // SQLite describes damage only in words, without a code. The messages differ between versions of SQLite.
    message.hasPrefix("wrong # of entries in index ")
      || message.hasPrefix("rowid not at end-of-record for row ")
      || message.hasPrefix("row ")
        && (message.contains(" missing from index ")
          || message.contains(" values differ from index "))
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
        .damage, count: messages.count, "SQLite reports damage: \(shown)",
        repairs: isRepairable ? [Self.repair] : [])
    ]
  }
}
