import Foundation
import Predicates

/// What differs between the databases behind the SQL stores.
struct SQLDialect: Sendable {
  /// What rows are ordered by for a string comparison, of a text.
  let ordered: @Sendable (SQLText, StringComparison) -> SQLText

  static let sqlite = SQLDialect(
    ordered: { text, comparison in
      guard let number = SQLiteFunctions.number(comparison) else { return text }
      return SQLText("\(SQLFunctionNames.order)(\(number), ", text, ")")
    })
}
