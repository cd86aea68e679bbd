import StoreInspection

/// Where a command writes and what it reads: the terminal, or a test.
struct Console: Sendable {
  /// Writes a part of the result.
  var output: @Sendable (String) -> Void
  /// Sees to it that what was written is there for whoever reads it.
  var flush: @Sendable () -> Void = {}
  /// Lets the command continue when its output cannot be written: the rest of the output is dropped, and the handler is
  /// called once with the reason. The handler must not write. Without this call the process exits.
  var surviveOutputLoss: @Sendable (_ handler: @escaping @Sendable (OutputLoss) -> Void) -> Void = {
    _ in
  }
  /// Makes writing give up after a second in which the reader reads nothing, because the command is to end.
  var endSoon: @Sendable () -> Void = {}
  /// Writes a note or an error.
  var note: @Sendable (String) -> Void
  /// Asks a person; nil where standard input is no terminal.
  var prompt: (@Sendable (String) -> String?)?
  /// The columns of the output, nil where it has no limit.
  var width: @Sendable () -> Int?

  /// The console of the command that runs now.
  @TaskLocal static var current: Console = .standard

  /// The streams of the process. The result is buffered, and written out before anything that is
  /// read beside it: a note, a question, or the end.
  static let standard: Console = Console(
    output: { StandardStream.output.write($0) },
    flush: { StandardStream.output.flush() },
    surviveOutputLoss: { handler in
      StandardStream.output.onLoss(handler)
      StandardStream.error.onLoss { _ in }
    },
    endSoon: {
      StandardStream.output.endSoon()
      StandardStream.error.endSoon()
    },
    note: { writeToStandardError($0) },
    prompt: StandardStream.isInputTerminal ? promptAtTerminal : nil,
    width: { TerminalWidth.current() }
  )

  private static func writeToStandardError(_ text: String) {
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
