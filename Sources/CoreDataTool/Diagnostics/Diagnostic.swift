/// A reason why a command ends without having done its work, in words for its user.
///
/// It is written to standard error, and its kind is the exit code of the process.
struct Diagnostic: Error, Equatable {
  /// Whose fault it is; the numbers are those of `sysexits.h`.
  enum Kind: Int32, Sendable {
    /// What was asked for makes no sense (`EX_USAGE`).
    case usage = 64
    /// The store, model or value is not what it should be (`EX_DATAERR`).
    case data = 65
  }

  let kind: Kind
  /// What is wrong, and with what; one sentence without a full stop.
  let message: String
  /// Further lines: where it is wrong, what was probably meant, what can be done.
  let details: [String]

  init(_ kind: Kind, _ message: String, details: [String] = []) {
    self.kind = kind
    self.message = message
    self.details = details
  }

  /// The lines for standard error. What they quote comes from a store or a shell, so control
  /// characters are made visible.
  var text: String {
    (["error: \(message)"] + details).map { $0.onOneLine + "\n" }.joined()
  }
}
