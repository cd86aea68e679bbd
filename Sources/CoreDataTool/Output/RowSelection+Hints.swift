import StoreInspection

extension RowSelection {
  /// Prints what the condition probably does not mean.
  func noteHints() {
    for hint in hints { Console.current.note("hint: \(hint.message.onOneLine)\n") }
  }
}
