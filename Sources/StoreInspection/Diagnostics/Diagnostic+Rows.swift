extension Diagnostic {
  /// Returns the error for a change of more than one row that the user has not confirmed.
  ///
  /// - Parameter narrowing: The beginning of the advice: what the user can do instead of confirming.
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
