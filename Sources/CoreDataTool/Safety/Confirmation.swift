import StoreInspection

/// Asks for confirmation before more than one row changes.
enum Confirmation {
  /// Returns normally if the change may proceed; otherwise throws.
  ///
  /// A change of fewer than `least` rows that cannot cascade needs no confirmation; nor does a command with `--yes`.
  /// Otherwise the user at the terminal has to answer y or yes. Without a terminal the change may not proceed.
  ///
  /// - Parameters:
  ///   - rows: The number of rows of the entity that would change.
  ///   - others: The number of dependent rows, including those of other entities, that would change
  ///     with these rows.
  ///   - cascades: Whether there may be dependent rows that were not counted.
  static func require(
    _ change: String, rows: Int, of entity: String, andOthers others: Int = 0,
    cascades: Bool = false, least: Int = 2, narrowing: String = "Narrow --where, or use",
    isConfirmed: Bool
  ) throws(Diagnostic) {
    guard rows + others >= least || cascades && rows > 0, !isConfirmed else { return }
    var what = subject(rows, of: entity, andOthers: others)
    if cascades { what += " and all dependent rows" }
    try require(change, what, narrowing: narrowing)
  }

  /// Returns if the user at the terminal agrees to a change; throws on any other answer, or if there is no terminal.
  ///
  /// - Parameter what: What would change, such as "12 rows of Person".
  static func require(
    _ change: String, _ what: String, narrowing: String
  ) throws(Diagnostic) {
    let refusal = Diagnostic.needsConfirmation(what, change: change, narrowing: narrowing)
    // Input that no person types, such as that of a pipe, must not count as an answer.
    guard let prompt = Console.current.prompt else { throw refusal }
    let capitalized = change.prefix(1).uppercased() + change.dropFirst()
    let answer = prompt("\(capitalized) \(what)? [y/N] ".onOneLine)
    guard ["y", "yes"].contains(answer?.trimmingBlanks().lowercased()) else { throw refusal }
  }

  /// Returns "3 rows of Person" or "1 row of Customer and 12 dependent rows".
  static func subject(_ rows: Int, of entity: String, andOthers others: Int) -> String {
    let own = "\(CountText.rows(rows)) of \(entity)"
    return others > 0 ? own + " and \(CountText.counted(others, "dependent row"))" : own
  }
}
