import Foundation
import Predicates

/// The names that differ between the databases behind the SQL stores.
struct SQLDialect: Sendable {
  /// The function that tries a string against a pattern:
  /// `f(text, operator, options, pattern)`.
  let match: String
  /// Letter case and length as Foundation has them.
  let uppercase: String
  let lowercase: String
  let length: String
  /// A sum that is a floating number, and 0 for no rows.
  let total: String

  /// The collation of a string comparison; nil for byte order, which needs none.
  let collation: @Sendable (StringComparison) -> String?

  static let sqlite = SQLDialect(
    match: "CoreDataMatch", uppercase: "CoreDataUppercase", lowercase: "CoreDataLowercase",
    length: "CoreDataLength", total: "total",
    collation: { $0 == .literal ? nil : SQLiteFunctions.collationName($0) })
}
