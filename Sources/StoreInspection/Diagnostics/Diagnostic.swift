/// An error that ends a command, in words for its user.
///
/// The command writes it to standard error, and its kind is the exit code of the process.
package struct Diagnostic: Error, Equatable {
  /// The part that has to be fixed; the raw values are those of `sysexits.h`.
  package enum Kind: Int32, Sendable {
    /// The request is invalid (`EX_USAGE`).
    case usage = 64
    /// A valid request fails, usually because of the store or the model (`EX_DATAERR`).
    case data = 65
  }

  package let kind: Kind
  /// What is wrong; one sentence without a full stop.
  package let message: String
  /// Further lines: where the error is, what was probably meant, what the user can do.
  package let details: [String]
  /// How many characters precede the error in the user's text; nil if that is not known.
  package let position: Int?
  /// Possible replacements for the text at that position.
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

  /// The lines for standard error. They may quote text from a store or a command line, so control characters are made
  /// visible.
  package var text: String {
    (["error: \(message)"] + details).map { $0.onOneLine + "\n" }.joined()
  }
}
