import Foundation
import Testing

#if os(Linux)
  /// The program `StoreWorkload`, which the build places next to the test program.
  enum Workload {
    /// Runs the program, expects that no data was lost, and returns the lines it printed.
    @discardableResult
    static func run(
      _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [String] {
      let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      let program = tests.deletingLastPathComponent().appendingPathComponent("StoreWorkload")
      try #require(
        FileManager.default.isExecutableFile(atPath: program.path), "\(program.path) is not built",
        sourceLocation: sourceLocation)
      let process = Process()
      process.executableURL = program
      process.arguments = arguments
      let output = Pipe()
      let errors = Pipe()
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      // Both pipes are read concurrently, because a full pipe would block the program.
      let captured = Captured()
      let reading = DispatchGroup()
      DispatchQueue.global().async(group: reading) {
        captured.errors = errors.fileHandleForReading.readDataToEndOfFile()
      }
      let text = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      reading.wait()
      let isDone = process.terminationReason == .exit && process.terminationStatus == 0
      #expect(
        isDone,
        "\(text.suffix(600))\n\(String(decoding: captured.errors.suffix(3000), as: UTF8.self))",
        sourceLocation: sourceLocation)
      return text.split(separator: "\n").map(String.init)
    }

    private final class Captured: @unchecked Sendable { var errors = Data() }

    /// Returns the seed in the environment variable `OPENCOREDATA_SEED`, or `usual` if it is not set.
    static func seed(_ usual: Int) -> String {
      let seed = ProcessInfo.processInfo.environment["OPENCOREDATA_SEED"] ?? "\(usual)"
      print("workload: OPENCOREDATA_SEED=\(seed)")
      return seed
    }
  }
#endif
