/// Asks before more than one row changes.
enum Confirmation {
  /// Returns when the change may go on.
  ///
  /// One row, or none, needs no question, nor does a command with `--yes`. Otherwise the person at
  /// the terminal is asked, and anything but y or yes is a no. Where nobody is there, it is a no.
  static func require(
    _ change: String, rows: Int, of entity: String, isGiven: Bool
  ) throws(Diagnostic) {
    guard rows > 1, !isGiven else { return }
    let refusal = Diagnostic.needsConfirmation(rows, entity: entity, change: change)
    guard let ask = Console.current.ask else { throw refusal }
    let capitalised = change.prefix(1).uppercased() + change.dropFirst()
    let answer = ask("\(capitalised) \(CountText.rows(rows)) of \(entity)? [y/N] ")
    guard ["y", "yes"].contains(answer?.trimmingBlanks().lowercased()) else { throw refusal }
  }
}
