import ArgumentParser
import Foundation
import StoreInspection

/// The entry point of the process.
@main
enum EntryPoint {
  static func main() {
    #if !os(Windows)
      // With SIGXFSZ ignored, exceeding `ulimit -f` is a write error, after which a command can clean up.
      signal(SIGXFSZ, SIG_IGN)
    #endif
    let code = run(Array(CommandLine.arguments.dropFirst()))
    // `exit` flushes only the buffers of C's standard library.
    StandardStream.output.flush()
    exit(code)
  }

  /// Removes the arguments `-com.apple.CoreData.SQLDebug 1`, which the library itself reads.
  private static func withoutLaunchArguments(_ arguments: [String]) -> [String] {
    guard let place = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug") else {
      return arguments
    }
    // ArgumentParser would reject the option, which `StatementLog` reads from the process's arguments.
    return Array(arguments[..<place] + arguments.dropFirst(place + 2))
  }

  /// Runs one command line and returns its exit code: 0 on success, 64 or 65 for a ``Diagnostic``, 74 or 141 for an
  /// ``OutputLoss``, otherwise the code of the error that the command threw. Writes the error's message to the console.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      var command = try CoreDataCommand.parseAsRoot(withoutLaunchArguments(arguments))
      try command.run()
      return 0
    } catch let diagnostic as Diagnostic {
      Console.current.note(diagnostic.text)
      return diagnostic.kind.rawValue
    } catch let loss as OutputLoss {
      if let message = loss.message { Console.current.note(message) }
      return loss.exitCode
    } catch {
      // Requests for help and the version also arrive here. They are not errors, so their text goes to the output.
      let code = CoreDataCommand.exitCode(for: error)
      let message = CoreDataCommand.fullMessage(for: error)
      if code.isSuccess {
        Console.current.output(message + "\n")
      } else if !message.isEmpty {
        Console.current.note(message + "\n")
      }
      return code.rawValue
    }
  }
}
