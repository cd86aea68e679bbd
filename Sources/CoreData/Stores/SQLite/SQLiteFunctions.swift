import CSQLite
import Foundation
import Predicates

/// The functions and collations that statements and stores' triggers call.
enum SQLiteFunctions {
  /// Registers everything on a new connection.
  static func register(on database: OpaquePointer) {
    let pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(database, "CoreDataMatch", 4, pure, nil, match, nil, nil, nil)
    sqlite3_create_function_v2(
      database, "CoreDataUppercase", 1, pure, nil, uppercase, nil, nil, nil)
    sqlite3_create_function_v2(
      database, "CoreDataLowercase", 1, pure, nil, lowercase, nil, nil, nil)
    sqlite3_create_function_v2(database, "CoreDataLength", 1, pure, nil, length, nil, nil, nil)
    registerTriggerFunctions(on: database)
    for (index, comparison) in StringComparison.allCases.enumerated() where comparison != .literal {
      sqlite3_create_collation_v2(
        database, collationName(comparison), SQLITE_UTF8,
        UnsafeMutableRawPointer(bitPattern: index + 1),
        collate, nil)
    }
  }

  /// The collation that orders text as a string comparison does.
  static func collationName(_ comparison: StringComparison) -> String {
    "CoreData_\(comparison)"
  }

  /// Triggers of derived attributes in Apple's stores tell Core Data what they changed through
  /// these; without them a write to such a store fails.
  private static func registerTriggerFunctions(on database: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue",
      "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue",
    ] {
      sqlite3_create_function_v2(database, name, -1, flags, nil, ignore, nil, nil, nil)
    }
  }

  private typealias Function =
    @convention(c) (
      OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
    ) -> Void

  private static let ignore: Function = { context, _, _ in sqlite3_result_null(context) }

  private static let match: Function = { context, _, arguments in
    guard let arguments, let text = SQLiteFunctions.text(arguments[0]),
      let pattern = SQLiteFunctions.text(arguments[3])
    else { return sqlite3_result_null(context) }
    let matcher: StringMatcher
    if let known = sqlite3_get_auxdata(context, 3) {
      matcher = Unmanaged<MatcherBox>.fromOpaque(known).takeUnretainedValue().matcher
    } else {
      let type = UInt(bitPattern: Int(sqlite3_value_int64(arguments[1])))
      let options = UInt(bitPattern: Int(sqlite3_value_int64(arguments[2])))
      do {
        guard let type = NSComparisonPredicate.Operator(rawValue: type) else {
          return SQLiteFunctions.fail(context, "no such string operator: \(type)")
        }
        matcher = try StringMatcher(
          type, options: NSComparisonPredicate.Options(rawValue: options), pattern: pattern)
      } catch {
        return SQLiteFunctions.fail(context, error.localizedDescription)
      }
      // SQLite keeps this only while the pattern is a constant of the statement.
      sqlite3_set_auxdata(
        context, 3, Unmanaged.passRetained(MatcherBox(matcher)).toOpaque(),
        { if let box = $0 { Unmanaged<MatcherBox>.fromOpaque(box).release() } })
    }
    do {
      sqlite3_result_int(context, try matcher.matches(text) ? 1 : 0)
    } catch {
      SQLiteFunctions.fail(context, error.localizedDescription)
    }
  }

  private static let uppercase: Function = { context, _, arguments in
    SQLiteFunctions.transform(context, arguments) { $0.uppercased() }
  }
  private static let lowercase: Function = { context, _, arguments in
    SQLiteFunctions.transform(context, arguments) { $0.lowercased() }
  }
  private static let length: Function = { context, _, arguments in
    guard let arguments, let text = SQLiteFunctions.text(arguments[0]) else {
      return sqlite3_result_null(context)
    }
    sqlite3_result_int64(context, Int64(text.utf16.count))
  }

  private static func transform(
    _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: (String) -> String
  ) {
    guard let arguments, let text = text(arguments[0]) else { return sqlite3_result_null(context) }
    var result = body(text)
    result.withUTF8 { bytes in
      let base = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
      sqlite3_result_text64(
        context, base, UInt64(bytes.count), sqlite3_transient_destructor(), UInt8(SQLITE_UTF8))
    }
  }

  private static func text(_ value: OpaquePointer?) -> String? {
    guard sqlite3_value_type(value) != SQLITE_NULL, let base = sqlite3_value_text(value) else {
      return nil
    }
    let bytes = UnsafeBufferPointer(start: base, count: Int(sqlite3_value_bytes(value)))
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func fail(_ context: OpaquePointer?, _ message: String) {
    sqlite3_result_error(context, message, -1)
  }

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

/// A compiled pattern, kept by SQLite for the length of a statement's run.
private final class MatcherBox {
  let matcher: StringMatcher
  init(_ matcher: StringMatcher) { self.matcher = matcher }
}
