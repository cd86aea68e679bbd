import Foundation
import Predicates

/// What differs between the databases behind the SQL stores.
struct SQLDialect: Sendable {
  /// The collation of a string comparison; nil for byte order, which needs none.
  let collation: @Sendable (StringComparison) -> String?

  static let sqlite = SQLDialect(
    collation: { $0 == .literal ? nil : SQLiteCollations.name($0) })
}
