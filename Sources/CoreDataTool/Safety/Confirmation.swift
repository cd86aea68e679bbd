import StoreInspection

/// Asks before more than one row changes.
enum Confirmation {
  /// Returns when the change may go on.
  ///
  /// One row, or none, needs no question, but where as few as `least` say so; nor does a command with `--yes`. Otherwise the person at
  /// the terminal is asked, and anything but y or yes is a no. Where nobody is there, it is a no.
  ///
  /// - Parameters:
  ///   - others: rows, also of other entities, that would change with them.
  ///   - cascades: whether there may be such rows that were not counted.
  static func require(
    _ change: String, rows: Int, of entity: String, andOthers others: Int = 0,
    cascades: Bool = false, least: Int = 2, narrowing: String = "Narrow --where, or say",
    isConfirmed: Bool
  ) throws(Diagnostic) {
    guard rows + others >= least || cascades && rows > 0, !isConfirmed else { return }
    var what = subject(rows, of: entity, andOthers: others)
    if cascades { what += " and all that go with \(rows == 1 ? "it" : "them")" }
    try require(change, what, narrowing: narrowing)
  }

  /// Returns when the person at the terminal agrees to a change; throws where the answer is another one, or
  /// where no terminal is there to ask at.
  ///
  /// - Parameter what: what would change, such as "12 rows of Person".
  static func require(
    _ change: String, _ what: String, narrowing: String
  ) throws(Diagnostic) {
    let refusal = Diagnostic.needsConfirmation(what, change: change, narrowing: narrowing)
    guard let prompt = Console.current.prompt else { throw refusal }
    let capitalised = change.prefix(1).uppercased() + change.dropFirst()
    let answer = prompt("\(capitalised) \(what)? [y/N] ")
    guard ["y", "yes"].contains(answer?.trimmingBlanks().lowercased()) else { throw refusal }
  }

  /// "3 rows of Person", "1 row of Customer and 12 rows that go with it".
  static func subject(_ rows: Int, of entity: String, andOthers others: Int) -> String {
    let own = "\(CountText.rows(rows)) of \(entity)"
    return others > 0
      ? own + " and \(CountText.rows(others)) that go with \(rows == 1 ? "it" : "them")" : own
  }
}
