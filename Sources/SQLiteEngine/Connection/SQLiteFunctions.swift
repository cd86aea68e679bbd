import CSQLite
import StoreEngine

/// The functions that statements and triggers of stores call.
///
/// Functions of predicates run the same code as evaluation in memory.
enum SQLiteFunctions {
  /// Registers all functions on a new connection.
  ///
  /// - Parameters:
  ///   - affected: Records the changes of triggers. Lives as long as the connection.
  ///   - receiver: Receives rows. Lives as long as the connection.
  static func register(on database: OpaquePointer, affected: AffectedRows, receiver: RowReceiver) {
    // DIRECTONLY: triggers and views in a file, which may be untrusted, cannot call these
    // functions. DETERMINISTIC: SQLite may compute a call with constant arguments once
    // (sqlite.org/c3ref/c_deterministic.html).
    let pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    func add(
      _ name: String, _ count: Int32, _ flags: Int32, _ function: @escaping Function,
      _ data: UnsafeMutableRawPointer? = nil
    ) {
      sqlite3_create_function_v2(database, name, count, flags, data, function, nil, nil, nil)
    }
    add(SQLFunctionNames.match, 4, pure, match)
    for (index, comparison) in StringComparison.allCases.enumerated() where comparison != .literal {
      add(
        SQLFunctionNames.order(comparison), 1, pure, order,
        UnsafeMutableRawPointer(bitPattern: index))
    }
    sqlite3_create_collation_v2(
      database, SQLFunctionNames.codePoints, SQLITE_UTF8, nil, compareBytes, nil)
    add(SQLFunctionNames.function, -1, pure, call)
    add(SQLFunctionNames.decoded, 1, pure, decoded)
    add(SQLFunctionNames.number, 1, pure, number)
    add(SQLFunctionNames.isText, 1, pure, isText)
    add(SQLFunctionNames.isURI, 1, pure, isURI)
    add(SQLFunctionNames.textForm, 2, pure, textForm)
    // Not marked as deterministic, because SQLite would then add the calls to its list of constants;
    // see `SQLiteDialect.constant`.
    add(SQLFunctionNames.literal, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, literal)
    add(SQLFunctionNames.folded, 2, pure, folded)
    add(SQLFunctionNames.random, 0, SQLITE_UTF8 | SQLITE_DIRECTONLY, random)
    add(SQLFunctionNames.random, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY, random)
    add(
      // Not marked as deterministic, because each call has an effect.
      SQLFunctionNames.row, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, RowReceiver.function,
      Unmanaged.passUnretained(receiver).toOpaque())
    // In Apple's stores, triggers of derived attributes call these functions to report changes to Core Data. Without
    // them, writing to such a store fails.
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue",
      "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue",
    ] {
      add(
        // The schema is not trusted, so its triggers can only call functions that are marked as
        // innocuous.
        name, -1, SQLITE_UTF8 | SQLITE_INNOCUOUS, AffectedRows.note,
        Unmanaged.passUnretained(affected).toOpaque())
    }
    SQLiteAggregates.register(on: database)
  }

  typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  // MARK: Strings

  /// `f(text, operator, options, pattern)`
  private static let match: Function = { context, _, arguments in
    guard let arguments, let text = SQLiteValue.text(arguments[0]),
      let pattern = SQLiteValue.text(arguments[3])
    else { return sqlite3_result_null(context) }
    SQLiteValue.reportingErrors(context) {
      // Cached for the pattern alone, because the dialect always writes the operator and the
      // options as constants.
      let matcher: StringMatcher = try SQLiteValue.kept(context, 3) {
        let type = UInt(bitPattern: Int(sqlite3_value_int64(arguments[1])))
        let options = UInt(bitPattern: Int(sqlite3_value_int64(arguments[2])))
        guard let type = NSComparisonPredicate.Operator(rawValue: type) else {
          throw CoreDataError.badRequest("unknown string operator: \(type)")
        }
        return try StringMatcher(
          type, options: NSComparisonPredicate.Options(rawValue: options), pattern: pattern)
      }
      sqlite3_result_int(context, try matcher.matches(text) ? 1 : 0)
    }
  }

  /// `f(text)`: the sort key of a text for the comparison with which the function is registered.
  private static let order: Function = { context, _, arguments in
    // The text must be read first, because SQLite may have to convert it before its length is known. Values of other
    // types in a text column are read as text, too.
    guard let value = arguments?[0], let start = sqlite3_value_text(value) else {
      return sqlite3_result_null(context)
    }
    let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    let comparison = StringComparison.allCases[Int(bitPattern: sqlite3_user_data(context))]
    comparison.withBytes(of: text) { key in
      // A null pointer would be interpreted as NULL.
      if key.isEmpty { return sqlite3_result_zeroblob(context, 0) }
      sqlite3_result_blob64(
        context, key.baseAddress, UInt64(key.count), sqlite3_transient_destructor())
    }
  }

  /// Compares texts by their bytes in UTF-8.
  private static let compareBytes:
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32 = { _, leftCount, left, rightCount, right in
      // An empty text may have no address.
      if leftCount > 0, rightCount > 0, let left, let right {
        let order = memcmp(left, right, Int(min(leftCount, rightCount)))
        if order != 0 { return order }
      }
      return leftCount - rightCount
    }

  // MARK: Functions of predicates

  /// `f(cell)`: for a blob that contains the digits of a number, the nearest double; NULL for any other blob; any other
  /// value unchanged.
  private static let number: Function = { context, _, arguments in
    guard let value = arguments?[0] else { return sqlite3_result_null(context) }
    guard sqlite3_value_type(value) == SQLITE_BLOB else {
      return sqlite3_result_value(context, value)
    }
    guard let digits = SQLiteValue.text(value), let number = Double(digits) else {
      return sqlite3_result_null(context)
    }
    sqlite3_result_double(context, number)
  }

  /// `f(name, arguments…)`
  private static let call: Function = { context, count, arguments in
    guard let arguments, count > 0 else { return sqlite3_result_null(context) }
    SQLiteValue.reportingErrors(context) {
      let function: BoundFunction = try SQLiteValue.kept(context, 0) {
        guard let name = SQLiteValue.text(arguments[0]), let function = BoundFunction(name: name)
        else { throw CoreDataError.badRequest("unknown predicate function") }
        return function
      }
      guard Int(count) == function.argumentKinds.count + 1 else {
        throw CoreDataError.badRequest("\(function.name) got \(count - 1) arguments")
      }
      let result: Scalar
      switch function.argumentKinds.count {
      case 1:
        result = try function.result(
          SQLiteValue.scalar(arguments[1], function.argumentKinds[0]), .null)
      case 2:
        result = try function.result(
          SQLiteValue.scalar(arguments[1], function.argumentKinds[0]),
          SQLiteValue.scalar(arguments[2], function.argumentKinds[1]))
      default:
        result = try function.result(
          function.argumentKinds.indices.map {
            SQLiteValue.scalar(arguments[$0 + 1], function.argumentKinds[$0])
          })
      }
      SQLiteValue.setResult(result, of: context)
    }
  }

  private static let random: Function = { context, count, arguments in
    SQLiteValue.reportingErrors(context) {
      let limit =
        count < 2
        ? nil
        : arguments.map { arguments in
          let kind = SQLiteValue.text(arguments[0])?.first.flatMap(ValueKind.init(letter:))
          return SQLiteValue.scalar(arguments[1], kind ?? .double)
        }
      SQLiteValue.setResult(try RandomNumber.next(below: limit), of: context)
    }
  }

  /// Returns its argument, a constant of a long condition. SQLite computes the argument once for each statement.
  private static let literal: Function = { context, _, arguments in
    guard let arguments else { return sqlite3_result_null(context) }
    sqlite3_result_value(context, arguments[0])
  }

  /// `f(text, options)`
  private static let folded: Function = { context, _, arguments in
    guard let arguments, let text = SQLiteValue.text(arguments[0]) else {
      return sqlite3_result_null(context)
    }
    let options = UInt(bitPattern: Int(sqlite3_value_int64(arguments[1])))
    let bytes = StringMatcher.folded(
      text, options: NSComparisonPredicate.Options(rawValue: options))
    SQLiteValue.setResult(.data(Data(bytes)), of: context)
  }

  /// Returns the value that a string in a long list encodes.
  private static let decoded: Function = { context, _, arguments in
    // Not cached with `kept`: SQLite searches the cached values of a statement one by one, which
    // takes quadratic time for many constants.
    guard let text = arguments.flatMap({ SQLiteValue.text($0[0]) }),
      let value = ValueList.decoded(text)
    else { return sqlite3_result_null(context) }
    SQLiteValue.setResult(ValueKind.double.scalar(value), of: context)
  }
}
