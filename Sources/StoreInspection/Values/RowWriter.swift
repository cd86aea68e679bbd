/// The destination of the rows of a result: a table, JSON or CSV.
///
/// Call `begin` first and `end` last. In between, call `section` before the rows of each section, and `row` for each
/// row; without sections, call only `row`. Rows are written as they arrive; none is kept longer than needed.
package protocol RowWriter {
  /// Starts the output. `sectioned` says whether sections follow.
  mutating func begin(columns: [String], sectioned: Bool)
  /// Starts a section of `count` rows; `name` is nil if its rows have no value for the section.
  mutating func section(_ name: String?, count: Int)
  /// Writes one row, a value for each column.
  mutating func row(_ values: [CellValue])
  /// Ends the output.
  mutating func end()
}

/// The name of the section column in formats without headings. An attribute's name cannot contain an @.
package let sectionColumnName = "@section"
