import Foundation
import Testing

/// Runs the built program `coredata` in another process and reads its lines as they arrive.
final class RunningTool {
  private let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private var received = Data()
  private let messages = Messages()

  /// The text written to standard error, which is read while the program runs, because the program waits while a
  /// pipe is full.
  private final class Messages: @unchecked Sendable {
    var text = Data()
    let end = DispatchGroup()
  }

  /// The program built beside the tests; `nil` if it is not there.
  static let program: URL? = {
    let beside = Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    let folders =
      beside + [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
    return folders.map { $0.appendingPathComponent("coredata") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  /// Starts the program. Fails the test if the program was not built.
  init(_ arguments: [String]) throws {
    let program = try #require(Self.program, "the program coredata is not beside the tests")
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try Self.starting.withLock {
      // If the tests were started with SIGHUP ignored, for example by nohup, the program would
      // ignore the signal too.
      let former = Foundation.signal(SIGHUP, SIG_DFL)
      defer { Foundation.signal(SIGHUP, former) }
      try process.run()
    }
    messages.end.enter()
    Thread.detachNewThread { [errors, messages] in
      messages.text = errors.fileHandleForReading.readDataToEndOfFile()
      messages.end.leave()
    }
  }

  private static let starting = NSLock()

  deinit { if process.isRunning { process.terminate() } }

  /// Returns the next line of the output without its line end, or `nil` at the end of the output.
  func line() -> String? {
    while true {
      if let end = received.firstIndex(of: 10) {
        let line = String(decoding: received[received.startIndex..<end], as: UTF8.self)
        received.removeSubrange(received.startIndex...end)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      received.append(more)
    }
  }

  /// Returns the lines up to and including the first line that contains a string.
  func lines(through text: String) -> [String] {
    var lines: [String] = []
    while let line = line() {
      lines.append(line)
      if line.contains(text) { break }
    }
    return lines
  }

  /// Sends a signal to the program.
  func signal(_ number: Int32) { kill(process.processIdentifier, number) }

  /// Waits for the end and returns the exit code and the text written to standard error.
  func end() throws -> (code: Int32, errors: String) {
    while line() != nil {}
    messages.end.wait()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: messages.text, as: UTF8.self))
  }

  /// Waits for the end without reading the output and returns the exit code.
  func endUnread() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// Closes the pipe that the program writes to.
  func closeOutput() throws { try output.fileHandleForReading.close() }

  /// Runs the program to its end and returns the exit code and the text written to standard error.
  @discardableResult
  static func run(_ arguments: String...) throws -> (code: Int32, errors: String) {
    try RunningTool(arguments).end()
  }
}
