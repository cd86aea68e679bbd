import Foundation

/// The reason why the output of a command is incomplete.
enum OutputLoss: Error, Equatable, Sendable {
  /// The reader has closed the pipe: that is how `| head` ends a command.
  case closed
  /// The command has to end, but its reader has stopped reading.
  case stalled
  /// The system refused the output, with this error number.
  case failed(Int32)

  /// The line for standard error; nil if the reader closed the pipe and so needs no message.
  var message: String? {
    let reason: String
    switch self {
    case .closed: return nil
    case .stalled: reason = "its reader has stopped reading"
    case .failed(let number): reason = String(cString: strerror(number))
    }
    return "error: the output could not be written: \(reason); it is incomplete\n"
  }

  /// The exit code of the command: for a closed pipe the shell's code of a process that SIGPIPE killed, else `EX_IOERR`.
  var exitCode: Int32 { self == .closed ? 141 : 74 }
}
