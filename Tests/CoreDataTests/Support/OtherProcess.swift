import Foundation
import Testing

#if os(Linux)
  /// This test program once more, in a process of its own, which runs one test.
  ///
  /// That test does nothing unless the variable is set which tells it what to do:
  /// `.enabled(if: OtherProcess.told("NAME") != nil)`.
  enum OtherProcess {
    /// What this process was started to do; nil where it is not another's.
    static func told(_ variable: String) -> String? {
      ProcessInfo.processInfo.environment[variable]
    }

    /// Runs a test ("Suite/function") in another process, and waits for its end.
    static func run(_ test: String, telling variable: String, _ text: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", test]
      var environment = ProcessInfo.processInfo.environment
      environment[variable] = text
      process.environment = environment
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let said = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "\(String(decoding: said, as: UTF8.self))")
    }
  }
#endif
