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
      // Continuing would pretend that the result was delivered. 74 is `EX_IOERR`.
      if handle !== FileHandle.standardError { Self.report(error) }
      exit(74)
    }
  }

  /// Writes to standard error why the result is incomplete, unless its reader closed the pipe: that is
  /// how `| head` ends a command. The buffer of standard error belongs to the same process, so this
  /// writes past it.
  private static func report(_ error: any Error) {
    let cause = sequence(first: error as NSError) {
      $0.userInfo[NSUnderlyingErrorKey] as? NSError
    }.first { $0.domain == NSPOSIXErrorDomain }
    if cause?.code == Int(EPIPE) { return }
    let reason =
      cause.map { String(cString: strerror(Int32($0.code))) } ?? error.localizedDescription
    let line = "error: the output could not be written: \(reason); it is incomplete\n"
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }
}
