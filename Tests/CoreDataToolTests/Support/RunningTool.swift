import Foundation
import Testing

/// The real program `coredata` in a process of its own, whose lines are read as they come.
final class RunningTool {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var heard = Data()

  /// The program that was built beside the tests; nil where it is not there.
  static let program: URL? = {
    let beside = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let folders =
      beside + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
    return folders.map { $0.appendingPathComponent("coredata") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// Starts the program; a test fails where it was not built.
  init(_ arguments: [String]) throws {
    let program = try #require(Self.program, "the program coredata is not beside the tests")
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try Self.starting.withLock {
      // Where the tests were started to ignore SIGHUP, as by nohup, the program would ignore it as well.
      let former = Foundation.signal(SIGHUP, SIG_DFL)
      defer { Foundation.signal(SIGHUP, former) }
      try process.run()
    }
  }

  private static let starting = NSLock()

  deinit { if process.isRunning { process.terminate() } }

  /// The next line of the output, without its end; nil when there are no more.
  func line() -> String? {
    while true {
      if let end = heard.firstIndex(of: 10) {
        let line = String(decoding: heard[heard.startIndex..<end], as: UTF8.self)
        heard.removeSubrange(heard.startIndex...end)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      heard.append(more)
    }
  }

  /// Lines up to the first that holds a text, that one too.
  func lines(through text: String) -> [String] {
    var lines: [String] = []
    while let line = line() {
      lines.append(line)
      if line.contains(text) { break }
    }
    return lines
  }

  /// Sends a signal.
  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end: the exit code, and what was written to standard error.
  func end() throws -> (code: Int32, errors: String) {
    while line() != nil {}
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  /// Waits for the end without reading what is written; the exit code.
  func endUnread() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Closes the pipe that the program writes to.
  func closeOutput() throws { try output.fileHandleForReading.close() }

  /// Runs the program to its end: the exit code, and what was written to standard error.
  @discardableResult
  static func run(_ arguments: String...) throws -> (code: Int32, errors: String) {
    try RunningTool(arguments).end()
  }
}
