/// The condition on rows of `sqlite_schema m` of the type table for plain tables.
///
/// SQLite normalizes the beginning of each statement, and its text decides what the table is (sqlite.org/schematab.html).
/// A file that was changed without SQLite may contain any other text that SQLite understands, such as
/// `CREATE/**/VIRTUAL TABLE`, so the condition accepts what is known instead of rejecting what is not.
enum TableCondition {
  static let isPlain = "(m.sql GLOB 'CREATE TABLE *')"
}
