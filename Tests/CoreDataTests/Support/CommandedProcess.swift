#if os(Linux)
  import Foundation
  import Testing

  /// Another process that runs one test of this test program. The test reads commands, one a line, and replies to
  /// each with a line; see `OtherProcess`.
  final class CommandedProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    /// Makes writing to a process that has ended fail with an error instead of ending the test program.
    private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Starts a test ("Suite/function") in another process.
    init(_ test: String, setting variable: String, to argument: String) throws {
      Self.ignoresBrokenPipes
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", test]
      var environment = ProcessInfo.processInfo.environment
      environment[variable] = argument
      process.environment = environment
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Sends a command, and waits for the reply. Returns nil if the process has ended.
    func send(_ line: String) -> String? {
      do {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      } catch {
        return nil
      }
      return nextReply()
    }

    /// Returns the next line that the test itself wrote, and skips the lines of the testing library.
    private func nextReply() -> String? {
      while true {
        while let end = received.firstIndex(of: 10) {
          let line = String(decoding: received[received.startIndex..<end], as: UTF8.self)
          received.removeSubrange(received.startIndex...end)
          if line.hasPrefix(Self.mark) { return String(line.dropFirst(Self.mark.count)) }
        }
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { return nil }
        received.append(more)
      }
    }

    /// Ends the other process and waits for it.
    func end() throws {
      try input.fileHandleForWriting.close()
      while nextReply() != nil {}
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    private static let mark = "## "

    /// Replies to each command until the input ends. Called in the other process.
    static func replyToCommands(_ body: (String) throws -> String) throws {
      while let line = readLine() {
        let reply = try body(line)
        try FileHandle.standardOutput.write(contentsOf: Data((mark + reply + "\n").utf8))
      }
    }
  }
#endif
