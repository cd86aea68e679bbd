/// A reason why a command ends without having done its work, in words for its user.
///
/// It is written to standard error, and its kind is the exit code of the process.
package struct Diagnostic: Error, Equatable {
  /// Whose fault it is; the numbers are those of `sysexits.h`.
  package enum Kind: Int32, Sendable {
    /// What was asked for makes no sense (`EX_USAGE`).
    case usage = 64
    /// The store, model or value is not what it should be (`EX_DATAERR`).
    case data = 65
  }

  package let kind: Kind
  /// What is wrong, and with what; one sentence without a full stop.
  package let message: String
  /// Further lines: where it is wrong, what was probably meant, what can be done.
  package let details: [String]
  /// How many characters stand before the mistake in the text that was given; nil where it is not known.
  package let position: Int?
  /// What to write at that place.
  package let replacements: [String]

  package init(
    _ kind: Kind, _ message: String, details: [String] = [], position: Int? = nil,
    replacements: [String] = []
  ) {
    self.kind = kind
    self.message = message
    self.details = details
    self.position = position
    self.replacements = replacements
  }

  /// The lines for standard error. What they quote comes from a store or a shell, so control
  /// characters are made visible.
  package var text: String {
    (["error: \(message)"] + details).map { $0.onOneLine + "\n" }.joined()
  }
}
