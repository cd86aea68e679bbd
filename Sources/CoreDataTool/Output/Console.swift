import StoreInspection

/// The input and output of a command: the terminal, or a test.
struct Console: Sendable {
  /// Writes a part of the output.
  var output: @Sendable (String) -> Void
  /// Writes out buffered output, so that a reader can see it.
  var flush: @Sendable () -> Void = {}
  /// Lets the command continue when its output cannot be written: the rest of the output is dropped, and the handler is
  /// called once with the reason. The handler must not write. Without this call the process exits.
  var surviveOutputLoss: @Sendable (_ handler: @escaping @Sendable (OutputLoss) -> Void) -> Void = {
    _ in
  }
  /// The reason why the output can no longer be written, if `surviveOutputLoss` was called; nil while it can be.
  var outputLoss: @Sendable () -> OutputLoss? = { nil }
  /// Makes writing fail after a second in which the reader reads nothing, so that the command can end.
  var endSoon: @Sendable () -> Void = {}
  /// Writes a note or an error.
  var note: @Sendable (String) -> Void
  /// Whether a terminal shows the notes, so that a note can replace the one before it.
  var showsNotesInTerminal = false
  /// Asks the user a question; nil if standard input is not a terminal.
  var prompt: (@Sendable (String) -> String?)?
  /// The width of the output in columns; nil for no limit.
  var width: @Sendable () -> Int?

  /// The console of the command that is running.
  @TaskLocal static var current: Console = .standard

  /// The streams of the process. The output is buffered, and written out before each note or question, and at the end
  /// of the command.
  static let standard: Console = Console(
    output: { StandardStream.output.write($0) },
    flush: { StandardStream.output.flush() },
    surviveOutputLoss: { handler in
      StandardStream.output.onLoss(handler)
      // A note that cannot be written does not end the command.
      StandardStream.error.onLoss { _ in }
    },
    outputLoss: { StandardStream.output.loss },
    endSoon: {
      StandardStream.output.endSoon()
      StandardStream.error.endSoon()
    },
    note: { writeToStandardError($0) },
    showsNotesInTerminal: StandardStream.isErrorTerminal,
    prompt: StandardStream.isInputTerminal ? promptAtTerminal : nil,
    width: { TerminalWidth.current() }
  )

  /// Throws the reason if the output can no longer be written.
  func requireOutput() throws(OutputLoss) {
    if let loss = outputLoss() { throw loss }
  }

  private static func writeToStandardError(_ text: String) {
    // A terminal shows both streams: earlier output must appear before this text.
    StandardStream.output.flush()
    StandardStream.error.write(text)
    StandardStream.error.flush()
  }

  @Sendable
  private static func promptAtTerminal(_ question: String) -> String? {
    writeToStandardError(question)
    return readLine()
  }
}
