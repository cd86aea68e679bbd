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

  private let handle: FileHandle
  private let buffer = Mutex<[UInt8]>([])

  private init(_ handle: FileHandle) {
    self.handle = handle
  }

  /// Adds to the buffer, and writes it out when it is full.
  func write(_ text: String) {
    buffer.withLock { buffer in
      buffer.append(contentsOf: text.utf8)
      if buffer.count >= Self.capacity { writeOut(&buffer) }
    }
  }

  /// Writes out what is in the buffer.
  func flush() {
    buffer.withLock { writeOut(&$0) }
  }

  private func writeOut(_ buffer: inout [UInt8]) {
    guard !buffer.isEmpty else { return }
    let data = Data(buffer)
    buffer.removeAll(keepingCapacity: true)
    do {
      try handle.write(contentsOf: data)
    } catch {
      // The reader is gone or the disk is full: nobody can be told on this stream, and going on
      // would pretend that the result was delivered. 74 is `EX_IOERR`.
      exit(74)
    }
  }
}
