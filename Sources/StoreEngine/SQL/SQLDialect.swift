import Foundation
package import Predicates

/// What differs between the databases behind the SQL stores.
package struct SQLDialect: Sendable {
  /// What rows are ordered by for a string comparison, of a text.
  package let ordered: @Sendable (SQLText, StringComparison) -> SQLText

  /// The most tables in a query.
  package let mostTables: Int

  package static let sqlite = SQLDialect(
    ordered: { text, comparison in
      comparison == .literal
        ? text : SQLText("\(SQLFunctionNames.order(comparison))(", text, ")")
    },
    // A bit of a 64-bit word stands for each.
    mostTables: 64)
}
