import Foundation
import StoreInspection
import Synchronization

/// A buffered output stream of the process. Writing a million short lines must not make a million system calls.
final class StandardStream: Sendable {
  static let output = StandardStream(.standardOutput)
  static let error = StandardStream(.standardError)

  /// Whether a person can answer questions.
  static let isInputTerminal = isatty(0) != 0
  /// Whether notes and errors appear in a terminal.
  static let isErrorTerminal = isatty(2) != 0

  private static let capacity = 1 << 16
  /// The number of bytes that can be written without blocking to a pipe that `poll` reports as writable (`PIPE_BUF`).
  private static let portion = 4_096
  /// The time-out of one `poll`, in milliseconds. After each, the stream checks whether the command has to end.
  private static let pause: Int32 = 100
  /// The number of such time-outs after which writing fails if the command has to end.
  private static let patience = 10

  private struct State {
    var buffer: [UInt8] = []
    /// The reason why nothing more is written.
    var loss: OutputLoss?
  }

  private let handle: FileHandle
  /// Whether writing may wait for a reader, as it may for everything but a regular file.
  private let mayWait: Bool
  private let state = Mutex(State())
  private let isEnding = Atomic(false)
  private let lossHandler = Mutex<(@Sendable (OutputLoss) -> Void)?>(nil)

  private init(_ handle: FileHandle) {
    self.handle = handle
    #if os(Windows)
      mayWait = false
    #else
      var status = stat()
      // `poll` always reports a regular file as writable, so waiting for it
      // would only cost system calls.
      mayWait = fstat(handle.fileDescriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    #endif
  }

  /// The reason why nothing more is written; nil if the stream can be written.
  var loss: OutputLoss? { state.withLock { $0.loss } }

  /// Adds to the buffer, and writes the buffer out when it is full.
  func write(_ text: String) {
    state.withLock { state in
      state.buffer.append(contentsOf: text.utf8)
      if state.buffer.count >= Self.capacity { writeOut(&state) }
    }
  }

  /// Writes out the buffer.
  func flush() {
    state.withLock { writeOut(&$0) }
  }

  /// Lets the process continue when the stream cannot be written; the rest of the output is dropped. Without this call
  /// the process exits.
  ///
  /// - Parameter handler: Called once, with the reason; it must not write to the stream.
  func onLoss(_ handler: @escaping @Sendable (OutputLoss) -> Void) {
    #if !os(Windows)
      // Writing to a closed pipe then fails instead of killing the process.
      signal(SIGPIPE, SIG_IGN)
    #endif
    lossHandler.withLock { $0 = handler }
  }

  /// Makes writing fail after a second in which the reader reads nothing, so that the command can end.
  func endSoon() { isEnding.store(true, ordering: .relaxed) }

  private func writeOut(_ state: inout State) {
    guard !state.buffer.isEmpty else { return }
    defer { state.buffer.removeAll(keepingCapacity: true) }
    guard state.loss == nil, let loss = send(state.buffer) else { return }
    guard let handler = lossHandler.withLock({ $0 }) else { end(with: loss) }
    state.loss = loss
    handler(loss)
  }

  /// Exits the process: continuing would pretend that the result was delivered.
  private func end(with loss: OutputLoss) -> Never {
    // This bypasses the buffer of standard error, because the process exits before that is written out.
    if handle !== FileHandle.standardError, let message = loss.message {
      try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    }
    exit(loss.exitCode)
  }

  /// Writes bytes; returns the reason if not all of them could be written.
  private func send(_ bytes: [UInt8]) -> OutputLoss? {
    #if os(Windows)
      do { try handle.write(contentsOf: Data(bytes)) } catch { return .failed(errno) }
      return nil
    #else
      return bytes.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
          if mayWait, let loss = waitUntilWritable() { return loss }
          let left = bytes.count - done
          let count = Foundation.write(
            handle.fileDescriptor, bytes.baseAddress.map { $0 + done },
            mayWait ? min(left, Self.portion) : left)
          // A write may accept fewer bytes than it gets.
          if count >= 0 {
            done += count
          } else if errno == EPIPE {
            return .closed
          } else if errno != EINTR, errno != EAGAIN {
            return .failed(errno)
          }
        }
        return nil
      }
    #endif
  }

  #if !os(Windows)
    /// Waits until the stream is writable.
    ///
    /// - Returns: Nil when it is, or when writing will report an error; ``OutputLoss/stalled`` if the command has to
    ///   end and the reader reads nothing.
    private func waitUntilWritable() -> OutputLoss? {
      var place = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
      var patience = Self.patience
      while patience > 0 {
        let count = poll(&place, 1, Self.pause)
        // After any other error of `poll`, the write itself fails and reports the reason.
        if count > 0 || count < 0 && errno != EINTR { return nil }
        // Until the command has to end, a slow reader such as a pager may stop reading for any length of time.
        if count == 0, isEnding.load(ordering: .relaxed) { patience -= 1 }
      }
      return .stalled
    }
  #endif
}
