/// Asks before more than one row changes.
enum Confirmation {
  /// Returns when the change may go on.
  ///
  /// One row, or none, needs no question, nor does a command with `--yes`. Otherwise the person at
  /// the terminal is asked, and anything but y or yes is a no. Where nobody is there, it is a no.
  ///
  /// - Parameter others: rows, also of other entities, that would change with them.
  static func require(
    _ change: String, rows: Int, of entity: String, andOthers others: Int = 0, isGiven: Bool
  ) throws(Diagnostic) {
    guard rows + others > 1, !isGiven else { return }
    let what = subject(rows, of: entity, andOthers: others)
    let refusal = Diagnostic.needsConfirmation(what, change: change)
    guard let ask = Console.current.ask else { throw refusal }
    let capitalised = change.prefix(1).uppercased() + change.dropFirst()
    let answer = ask("\(capitalised) \(what)? [y/N] ")
    guard ["y", "yes"].contains(answer?.trimmingBlanks().lowercased()) else { throw refusal }
  }

  /// "3 rows of Person", "1 row of Customer and 12 rows that go with it".
  static func subject(_ rows: Int, of entity: String, andOthers others: Int) -> String {
    let own = "\(CountText.rows(rows)) of \(entity)"
    return others > 0
      ? own + " and \(CountText.rows(others)) that go with \(rows == 1 ? "it" : "them")" : own
  }
}
