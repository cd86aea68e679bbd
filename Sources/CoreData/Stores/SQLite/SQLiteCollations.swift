import CSQLite
import Predicates

/// The collations by which statements order text as memory does.
enum SQLiteCollations {
  static func register(on database: OpaquePointer) {
    for (index, comparison) in StringComparison.allCases.enumerated() where comparison != .literal {
      sqlite3_create_collation_v2(
        database, name(comparison), SQLITE_UTF8, UnsafeMutableRawPointer(bitPattern: index + 1),
        collate, nil)
    }
  }

  /// The collation that orders text as a string comparison does.
  static func name(_ comparison: StringComparison) -> String { "CoreData_\(comparison)" }

  private static let collate:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32 = { tag, leftCount, left, rightCount, right in
      let index = Int(bitPattern: tag) - 1
      func text(_ base: UnsafeRawPointer?, _ count: Int32) -> String {
        String(decoding: UnsafeRawBufferPointer(start: base, count: Int(count)), as: UTF8.self)
      }
      return Int32(
        StringComparison.allCases[index]
          .compare(text(left, leftCount), text(right, rightCount)).rawValue)
    }
}
