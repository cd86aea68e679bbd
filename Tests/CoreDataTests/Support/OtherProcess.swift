import Foundation
import Testing

#if os(Linux)
  /// Another process that runs one test of this test program.
  ///
  /// An environment variable carries the argument of that test, which is skipped unless the variable is set:
  /// `.enabled(if: OtherProcess.argument("NAME") != nil)`.
  enum OtherProcess {
    /// Returns the argument in an environment variable, or nil if this process was not started with one.
    static func argument(_ variable: String) -> String? {
      ProcessInfo.processInfo.environment[variable]
    }

    /// Runs a test ("Suite/function") in another process, waits for its end and returns its output.
    @discardableResult
    static func run(_ test: String, setting variable: String, to argument: String) throws -> String
    {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", test]
      var environment = ProcessInfo.processInfo.environment
      environment[variable] = argument
      process.environment = environment
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let written = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(written)")
      return written
    }
  }
#endif
