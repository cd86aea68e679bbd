import Foundation
import StoreInspection
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// A stream of the process with a buffer, so that a million short lines are not a million calls of
/// the system.
final class StandardStream: Sendable {
  static let output = StandardStream(.standardOutput)
  static let error = StandardStream(.standardError)

  /// Whether a person can answer.
  static let isInputTerminal = isatty(0) != 0

  private static let capacity = 1 << 16
  /// How much a pipe that takes something takes at once without waiting (`PIPE_BUF`).
  private static let portion = 4_096
  /// How many milliseconds pass between two looks whether the command is to end, while its reader takes nothing.
  private static let pause: Int32 = 100
  /// How many looks a reader that takes nothing is given then.
  private static let patience = 10

  private struct State {
    var buffer: [UInt8] = []
    /// Why nothing more is written.
    var loss: OutputLoss?
  }

  private let handle: FileHandle
  /// Whether writing may wait for a reader: everywhere but in a plain file.
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
      mayWait = fstat(handle.fileDescriptor, &status) != 0 || status.st_mode & S_IFMT != S_IFREG
    #endif
  }

  /// Adds to the buffer, and writes it out when it is full.
  func write(_ text: String) {
    state.withLock { state in
      state.buffer.append(contentsOf: text.utf8)
      if state.buffer.count >= Self.capacity { writeOut(&state) }
    }
  }

  /// Writes out what is in the buffer.
  func flush() {
    state.withLock { writeOut(&$0) }
  }

  /// Has the process outlive its reader: what cannot be written is left out from then on. Without this the process ends.
  ///
  /// - Parameter handler: called once, with the reason; it must not write to the stream.
  func onLoss(_ handler: @escaping @Sendable (OutputLoss) -> Void) {
    #if !os(Windows)
      // Writing to a closed pipe is an error instead.
      signal(SIGPIPE, SIG_IGN)
    #endif
    lossHandler.withLock { $0 = handler }
  }

  /// Gives a reader that takes nothing a second more: the command is to end.
  func endSoon() { isEnding.store(true, ordering: .relaxed) }

  private func writeOut(_ state: inout State) {
    guard !state.buffer.isEmpty else { return }
    defer { state.buffer.removeAll(keepingCapacity: true) }
    guard state.loss == nil, let loss = send(state.buffer) else { return }
    guard let handler = lossHandler.withLock({ $0 }) else { end(with: loss) }
    state.loss = loss
    handler(loss)
  }

  /// Ends the process: continuing would pretend that the result was delivered.
  private func end(with loss: OutputLoss) -> Never {
    // The buffer of standard error belongs to the same process, so this writes past it.
    if handle !== FileHandle.standardError, let message = loss.message {
      try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
    }
    exit(74)
  }

  /// Writes bytes, all of them unless it returns why not.
  private func send(_ bytes: [UInt8]) -> OutputLoss? {
    #if os(Windows)
      do { try handle.write(contentsOf: Data(bytes)) } catch { return .failed(errno) }
      return nil
    #else
      return bytes.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
          if mayWait, let loss = waitForReader() { return loss }
          let left = bytes.count - done
          let count = Foundation.write(
            handle.fileDescriptor, bytes.baseAddress.map { $0 + done },
            mayWait ? min(left, Self.portion) : left)
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
    /// Returns when the reader takes something, or with an error that writing has, too; with a loss where the command is
    /// to end and the reader takes nothing.
    private func waitForReader() -> OutputLoss? {
      var place = pollfd(fd: handle.fileDescriptor, events: Int16(POLLOUT), revents: 0)
      var patience = Self.patience
      while patience > 0 {
        let count = poll(&place, 1, Self.pause)
        if count > 0 || count < 0 && errno != EINTR { return nil }
        if count == 0, isEnding.load(ordering: .relaxed) { patience -= 1 }
      }
      return .stalled
    }
  #endif
}
