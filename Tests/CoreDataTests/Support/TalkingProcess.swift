#if os(Linux)
  import Foundation
  import Testing

  /// This test program once more, running one test that is told line by line what to do and answers each
  /// line; see `OtherProcess`.
  final class TalkingProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var heard = Data()

    /// Begins a test ("Suite/function") in another process.
    init(_ test: String, telling variable: String, _ text: String) throws {
      process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      process.arguments = ["--testing-library", "swift-testing", "--filter", test]
      var environment = ProcessInfo.processInfo.environment
      environment[variable] = text
      process.environment = environment
      process.standardInput = input
      process.standardOutput = output
      process.standardError = output
      try process.run()
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Says a line and waits for the answer; nil when the process has ended.
    func ask(_ line: String) -> String? {
      do {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
      } catch {
        return nil
      }
      return answer()
    }

    /// The next line of the test itself: what the test program writes besides is left out.
    private func answer() -> String? {
      while true {
        while let end = heard.firstIndex(of: 10) {
          let line = String(decoding: heard[heard.startIndex..<end], as: UTF8.self)
          heard.removeSubrange(heard.startIndex...end)
          if line.hasPrefix(Self.mark) { return String(line.dropFirst(Self.mark.count)) }
        }
        let more = output.fileHandleForReading.availableData
        if more.isEmpty { return nil }
        heard.append(more)
      }
    }

    /// Ends the other process and waits for it.
    func end() throws {
      try input.fileHandleForWriting.close()
      while answer() != nil {}
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    private static let mark = "## "

    /// In the other process: answers each line that is said, until nothing more comes.
    static func answerLines(_ body: (String) throws -> String) throws {
      while let line = readLine() {
        let answer = try body(line)
        try FileHandle.standardOutput.write(contentsOf: Data((mark + answer + "\n").utf8))
      }
    }
  }
#endif
