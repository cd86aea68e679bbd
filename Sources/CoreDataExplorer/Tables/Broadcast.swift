import Foundation
import Synchronization

/// Gives the same bytes to any number of readers.
///
/// A reader that does not keep up is let go of, rather than kept in memory: it comes again, and is told to read
/// everything anew.
final class Broadcast: Sendable {
  private typealias Reader = AsyncThrowingStream<Data, any Error>.Continuation
  /// How many events a reader may be behind.
  private static let limit = 256

  private struct State {
    var readers: [Int: Reader] = [:]
    var nextReader = 0
  }

  private let state = Mutex(State())

  /// How many readers there are.
  var count: Int { state.withLock { $0.readers.count } }

  /// A new reader's events.
  ///
  /// - Parameter first: what it is told before all others.
  func stream(first: [Data]) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingOldest(Self.limit)) { reader in
      for event in first { reader.yield(event) }
      let number = state.withLock { state in
        state.nextReader += 1
        state.readers[state.nextReader] = reader
        return state.nextReader
      }
      reader.onTermination = { [weak self] _ in
        self?.state.withLock { $0.readers[number] = nil }
      }
    }
  }

  func send(_ event: Data) {
    let readers = state.withLock { $0.readers }
    for (number, reader) in readers {
      if case .dropped = reader.yield(event) {
        state.withLock { $0.readers[number] = nil }
        reader.finish()
      }
    }
  }

  /// Ends all streams.
  func finish() {
    let readers = state.withLock { state in
      defer { state.readers = [:] }
      return state.readers.values.map(\.self)
    }
    for reader in readers { reader.finish() }
  }
}
