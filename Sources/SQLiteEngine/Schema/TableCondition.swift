/// The SQL condition for plain tables, on rows of `sqlite_schema m` with the type `table`.
///
/// SQLite normalizes the beginning of each statement, and its text decides what the table is
/// (sqlite.org/schematab.html). A file that was changed without SQLite may contain any other text that SQLite
/// understands, such as `CREATE/**/VIRTUAL TABLE`, so the condition accepts one known form instead of rejecting others.
enum TableCondition {
  static let isPlain = "(m.sql GLOB 'CREATE TABLE *')"
}
