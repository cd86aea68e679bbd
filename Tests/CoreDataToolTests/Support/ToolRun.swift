import Synchronization

@testable import CoreDataTool
@testable import StoreInspection

/// Runs the command line inside this process and keeps its output.
struct ToolRun: Equatable {
  /// The exit code.
  var code: Int32
  /// The text written to standard output.
  var output: String
  /// The text written to standard error.
  var errors: String

  /// Runs `coredata` with these arguments.
  ///
  /// - Parameters:
  ///   - width: The width of the output in columns; nil for no limit.
  ///   - answer: The answer to every question; nil if the command cannot prompt.
  static func coredata(
    _ arguments: String..., width: Int? = 100, answer: String? = nil
  ) -> ToolRun {
    coredata(arguments, width: width, answer: answer)
  }

  /// Runs `coredata` with these arguments.
  static func coredata(
    _ arguments: [String], width: Int? = 100, answer: String? = nil
  ) -> ToolRun {
    capturing(width: width, answer: answer) { EntryPoint.run(arguments) }
  }

  /// Runs a closure that returns an exit code, and captures its output.
  ///
  /// - Parameter notesInTerminal: Whether the notes are written as if to a terminal.
  static func capturing(
    width: Int? = 100, answer: String? = nil, notesInTerminal: Bool = false,
    _ work: () throws -> Int32
  ) rethrows -> ToolRun {
    let written = Written()
    var prompt: (@Sendable (String) -> String?)?
    if let answer {
      prompt = { question in
        written.errors.withLock { $0 += question }
        return answer
      }
    }
    let console = Console(
      output: { text in written.output.withLock { $0 += text } },
      note: { text in written.errors.withLock { $0 += text } },
      showsNotesInTerminal: notesInTerminal,
      prompt: prompt,
      width: { width })
    let code = try Console.$current.withValue(console, operation: work)
    return ToolRun(
      code: code, output: written.output.withLock { $0 }, errors: written.errors.withLock { $0 })
  }

  private final class Written: Sendable {
    let output = Mutex("")
    let errors = Mutex("")
  }
}
