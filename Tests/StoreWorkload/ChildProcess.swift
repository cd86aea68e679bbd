import Foundation

/// Another process of this program, with other arguments, and the lines that it prints.
final class ChildProcess: @unchecked Sendable {
  private let process = Process()
  private let pipe = Pipe()
  private let lock = NSLock()
  private var received = Data()
  private let ended = DispatchSemaphore(value: 0)

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    Thread.detachNewThread { [self] in
      while true {
        let part = pipe.fileHandleForReading.availableData
        if part.isEmpty { break }
        lock.withLock { received.append(part) }
      }
      ended.signal()
    }
  }

  /// The complete lines so far.
  var lines: [String] {
    let text = lock.withLock { String(decoding: received, as: UTF8.self) }
    return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  var isRunning: Bool { process.isRunning }

  /// Kills the process: none of its code runs afterwards.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the process to end.
  ///
  /// - Returns: The exit code, or nil if it was killed.
  func wait() -> Int32? {
    process.waitUntilExit()
    ended.wait()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
