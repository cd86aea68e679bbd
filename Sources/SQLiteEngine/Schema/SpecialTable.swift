import StoreEngine

/// A table of a file that is not plain (``TableCondition``). In a store, only R-trees are known to be safe, because
/// they contain nothing but numbers. SQLite opens any other virtual table to list its columns, which runs the code of
/// its module and fails if this SQLite version lacks it.
struct SpecialTable {
  let name: String
  /// Whether the table is an R-tree, judged by its text: opens no table.
  let isRTree: Bool

  /// Returns the tables of a file that are not plain, in the order of their names.
  ///
  /// Most files have none or a few, so this code classifies them, instead of a longer condition that SQLite would have
  /// to compile.
  static func all(on connection: SQLiteConnection) throws -> [SpecialTable] {
    try connection.rows(
      "SELECT m.name, m.sql FROM sqlite_schema m WHERE m.type = 'table'"
        + " AND \(TableCondition.isPlain) IS NOT 1 ORDER BY m.name"
    ) { SpecialTable(name: $0.text(0), sql: $0.text(1)) }
  }

  /// Returns the names of the R-trees of fetch indexes, which begin with `Z_RT_`.
  static func indexTrees(on connection: SQLiteConnection) throws -> [String] {
    try all(on: connection).filter(\.isIndexTree).map(\.name)
  }

  /// Whether the table is an R-tree that is named like that of a fetch index.
  var isIndexTree: Bool { isRTree && name.utf8.starts(with: "Z_RT_".utf8) }

  init(name: String, sql: String) {
    self.name = name
    isRTree = Self.modules(of: name, in: sql).contains { ["rtree", "rtree_i32"].contains($0) }
  }

  /// Returns the module's name in lowercase, from a text such as `CREATE VIRTUAL TABLE name USING module(…)`; nothing
  /// for a text in any other form.
  ///
  /// The table's name has to be known, because it may itself contain the word "using".
  private static func modules(of name: String, in sql: String) -> [String] {
    let quotes: [Unicode.Scalar] = ["\"", "`", "'"]
    var spellings = quotes.map { quote in
      "\(quote)\(name.replacing(scalar: quote, with: "\(quote)\(quote)"))\(quote)"
    }
    // Without quotes, SQLite ends a name before the first character that cannot be part of a word, and in brackets at
    // the first closing bracket. It may find a different module after such a shortened name.
    if name.utf8.allSatisfy({ SchemaWords.isPart($0) }) { spellings.append(name) }
    if !name.utf8.contains(UInt8(ascii: "]")) { spellings.append("[\(name)]") }
    return spellings.compactMap { spelling in
      let start = "CREATE VIRTUAL TABLE \(spelling)"
      guard sql.utf8.starts(with: start.utf8) else { return nil }
      let words = sql.utf8.dropFirst(start.utf8.count).split { " \t\n\u{c}\r(".utf8.contains($0) }
        .prefix(2).map { String(decoding: $0, as: UTF8.self).lowercased() }
      return words.count > 1 && words[0] == "using" ? words[1] : nil
    }
  }
}
