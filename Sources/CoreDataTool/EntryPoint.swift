import ArgumentParser
import Foundation
import StoreInspection

/// Where the process begins and ends.
@main
enum EntryPoint {
  static func main() {
    #if !os(Windows)
      // With SIGXFSZ ignored, exceeding `ulimit -f` is an error of writing, after which a command can clean up.
      signal(SIGXFSZ, SIG_IGN)
    #endif
    let code = run(Array(CommandLine.arguments.dropFirst()))
    StandardStream.output.flush()
    exit(code)
  }

  /// The arguments without those that the library reads itself: `-com.apple.CoreData.SQLDebug 1`.
  private static func withoutLaunchArguments(_ arguments: [String]) -> [String] {
    guard let place = arguments.firstIndex(of: "-com.apple.CoreData.SQLDebug") else {
      return arguments
    }
    return Array(arguments[..<place] + arguments.dropFirst(place + 2))
  }

  /// Runs one command line, and returns its exit code: 0, or the reason it was not done for (64
  /// usage, 65 data), which has been written to the console.
  static func run(_ arguments: [String]) -> Int32 {
    do {
      var command = try CoreDataCommand.parseAsRoot(withoutLaunchArguments(arguments))
      try command.run()
      return 0
    } catch let diagnostic as Diagnostic {
      Console.current.note(diagnostic.text)
      return diagnostic.kind.rawValue
    } catch {
      // Help and version also arrive here; they are no errors and belong to the output.
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
