extension Diagnostic {
  /// More than one row would change, and the user has not confirmed it.
  ///
  /// - Parameter narrowing: what the user can do instead of confirming; the beginning of a sentence.
  package static func needsConfirmation(
    _ rows: String, change: String, narrowing: String = "Narrow --where, or use"
  ) -> Diagnostic {
    Diagnostic(
      .usage, "this would \(change) \(rows); nothing was changed",
      details: ["\(narrowing) --yes to \(change) all of them."])
  }

  /// Returns the error for a store that the tool should not write to.
  package static func protected(_ path: String, reasons: [String]) -> Diagnostic {
    Diagnostic(
      .usage, "refusing to write to \(path); nothing was changed",
      details: reasons + ["Use --write to override."])
  }
}
