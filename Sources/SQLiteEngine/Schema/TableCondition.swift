/// Conditions on rows of `sqlite_schema m` of the type table. The tables of a store are plain tables, and R-trees, which
/// contain only numbers. SQLite opens any other virtual table to list its columns, which runs the code of its module and
/// fails if this SQLite version lacks it.
///
/// SQLite normalizes the beginning of each statement, and its text decides what the table is (sqlite.org/schematab.html).
/// A file that was changed without SQLite may contain any other text that SQLite understands, such as
/// `CREATE/**/VIRTUAL TABLE`, so the conditions accept what is known instead of rejecting what is not.
enum TableCondition {
  static let isPlain = "(m.sql GLOB 'CREATE TABLE *')"

  /// The module follows the name of the table, which may itself contain the word "using".
  static let isRTree: String = {
    let start = "INSTR(SUBSTR(m.sql, 22), m.name)"
    let spaces = "char(9, 10, 12, 13, 32)"
    let rest = "SUBSTR(m.sql, 21 + \(start) + LENGTH(m.name))"
    let afterName = "LTRIM(\(rest), '\"]`''' || \(spaces))"
    return "(m.sql GLOB 'CREATE VIRTUAL TABLE *' AND \(start) IN (1, 2) AND \(rest) <> \(afterName)"
      + " AND \(afterName) LIKE 'using%'"
      + " AND LTRIM(SUBSTR(\(afterName), 6), \(spaces)) LIKE 'rtree%')"
  }()

  static let isReadable = "(\(isPlain) OR \(isRTree))"
}
