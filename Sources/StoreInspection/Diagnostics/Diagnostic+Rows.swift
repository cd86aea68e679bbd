extension Diagnostic {
  /// More rows would change than one, and nobody said that this is meant.
  ///
  /// - Parameter narrowing: what else than saying yes helps, as the beginning of a sentence.
  package static func needsConfirmation(
    _ rows: String, change: String, narrowing: String = "Narrow --where, or say"
  ) -> Diagnostic {
    Diagnostic(
      .usage, "this would \(change) \(rows); nothing was changed",
      details: ["\(narrowing) --yes to \(change) all of them."])
  }

  /// A store that should not be written by this tool.
  package static func protected(_ path: String, reasons: [String]) -> Diagnostic {
    Diagnostic(
      .usage, "\(path) is read-only here; nothing was changed",
      details: reasons + ["Say --write to write to it all the same."])
  }
}
