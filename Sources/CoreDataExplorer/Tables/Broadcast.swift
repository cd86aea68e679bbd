import Foundation
import Synchronization

/// Gives the same bytes to any number of readers.
///
/// A reader that does not keep up is let go of, rather than kept in memory: it comes again, and is told to read
/// everything anew.
final class Broadcast: Sendable {
  typealias Stream = AsyncThrowingStream<Data, any Error>
  /// How many events a reader may be behind.
  private static let limit = 256

  private struct State {
    var readers: [Int: Stream.Continuation] = [:]
    var nextReader = 0
  }

  private let state = Mutex(State())

  /// How many readers there are.
  var count: Int { state.withLock { $0.readers.count } }

  /// A new reader's events.
  ///
  /// - Parameters:
  ///   - first: what it is told before all others.
  ///   - others: whose events it gets, too.
  ///   - owner: what lives as long as the reader.
  func stream(
    first: [Data], with others: [Broadcast] = [], holding owner: (any Sendable)? = nil
  ) -> Stream {
    Stream(bufferingPolicy: .bufferingOldest(Self.limit)) { reader in
      for event in first { reader.yield(event) }
      let ends = ([self] + others).map { $0.add(reader) }
      reader.onTermination = { _ in
        for end in ends { end() }
        withExtendedLifetime(owner) {}
      }
    }
  }

  /// Adds a reader; what comes back lets go of it.
  private func add(_ reader: Stream.Continuation) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.nextReader += 1
      state.readers[state.nextReader] = reader
      return state.nextReader
    }
    return { [weak self] in self?.state.withLock { $0.readers[number] = nil } }
  }

  func send(_ event: Data) {
    for reader in state.withLock({ Array($0.readers.values) }) {
      // Its termination takes it out of the readers.
      if case .dropped = reader.yield(event) { reader.finish() }
    }
  }

  /// Ends all streams.
  func finish() {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }
}
