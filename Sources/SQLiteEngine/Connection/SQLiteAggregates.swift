import CSQLite
import StoreEngine

/// The aggregate functions over members of a relationship that SQLite lacks or computes differently.
enum SQLiteAggregates {
  static func register(on database: OpaquePointer) {
    let pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    for (index, function) in SQLFunctionNames.statistics.enumerated() {
      sqlite3_create_function_v2(
        database, SQLFunctionNames.statistic(function), 2, pure,
        UnsafeMutableRawPointer(bitPattern: index + 1), nil, step, final, nil)
    }
    sqlite3_create_function_v2(
      database, SQLFunctionNames.isMode, 3, pure, nil, nil, modeStep, modeFinal, nil)
  }

  /// The state of an aggregate between its first and last row.
  private final class Gathering {
    var statistic: Statistic
    /// The value that `isMode` compares.
    let wanted: Scalar

    init(_ function: PredefinedFunction, wanted: Scalar = .null) {
      statistic = Statistic(function, nilRule: .store)
      self.wanted = wanted
    }
  }

  /// Returns the state of the running aggregate, creating it for the first row. SQLite provides zeroed memory for a
  /// pointer to it.
  private static func gathering(_ context: OpaquePointer?, make: () -> Gathering) -> Gathering? {
    let size = Int32(MemoryLayout<UnsafeRawPointer?>.size)
    guard let place = sqlite3_aggregate_context(context, size) else { return nil }
    let slot = place.assumingMemoryBound(to: UnsafeRawPointer?.self)
    if let existing = slot.pointee {
      return Unmanaged<Gathering>.fromOpaque(existing).takeUnretainedValue()
    }
    let made = make()
    slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(made).toOpaque())
    return made
  }

  /// Returns the state after the last row, and clears the pointer to it; nil if there was no row.
  private static func finishedGathering(_ context: OpaquePointer?) -> Gathering? {
    guard let place = sqlite3_aggregate_context(context, 0) else { return nil }
    let slot = place.assumingMemoryBound(to: UnsafeRawPointer?.self)
    defer { slot.pointee = nil }
    return slot.pointee.map { Unmanaged<Gathering>.fromOpaque($0).takeRetainedValue() }
  }

  private static func function(_ context: OpaquePointer?) -> PredefinedFunction {
    SQLFunctionNames.statistics[Int(bitPattern: sqlite3_user_data(context)) - 1]
  }

  private static func kind(_ letter: OpaquePointer?) -> ValueKind {
    SQLiteValue.text(letter)?.first.flatMap(ValueKind.init(letter:)) ?? .double
  }

  /// `f(kind, value)`
  private static let step: SQLiteFunctions.Function = { context, _, arguments in
    guard let arguments else { return }
    SQLiteValue.reportingErrors(context) {
      let gathering = SQLiteAggregates.gathering(context) {
        Gathering(SQLiteAggregates.function(context))
      }
      try gathering?.statistic.add(
        SQLiteValue.scalar(arguments[1], SQLiteAggregates.kind(arguments[0])))
    }
  }

  private static let final: @convention(c) (OpaquePointer?) -> Void = { context in
    SQLiteValue.reportingErrors(context) {
      // Without a row, SQLite calls only this function, and the result is that of an empty set.
      let statistic =
        SQLiteAggregates.finishedGathering(context)?.statistic
        ?? Statistic(SQLiteAggregates.function(context), nilRule: .store)
      SQLiteValue.setResult(try statistic.result(), of: context)
    }
  }

  /// `f(kind, value, member's value)`
  private static let modeStep: SQLiteFunctions.Function = { context, _, arguments in
    guard let arguments else { return }
    SQLiteValue.reportingErrors(context) {
      let kind = SQLiteAggregates.kind(arguments[0])
      let gathering = SQLiteAggregates.gathering(context) {
        Gathering(.mode, wanted: SQLiteValue.scalar(arguments[1], kind))
      }
      try gathering?.statistic.add(SQLiteValue.scalar(arguments[2], kind))
    }
  }

  private static let modeFinal: @convention(c) (OpaquePointer?) -> Void = { context in
    guard let gathering = SQLiteAggregates.finishedGathering(context) else {
      return sqlite3_result_int(context, 0)
    }
    let isMode = gathering.statistic.modes().contains {
      ValueEquality.areEqual($0, gathering.wanted)
    }
    sqlite3_result_int(context, isMode ? 1 : 0)
  }
}
