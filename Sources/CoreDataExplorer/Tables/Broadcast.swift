import Foundation
import Synchronization

/// Sends the same bytes to any number of subscribers.
///
/// If a subscriber does not keep up, its stream ends, so that its waiting events do not fill the memory. The client
/// then subscribes again and reloads everything.
final class Broadcast: Sendable {
  typealias Stream = AsyncThrowingStream<Data, any Error>
  /// The maximum number of events that wait for a subscriber.
  private static let limit = 256

  private struct State {
    var subscribers: [Int: Stream.Continuation] = [:]
    var nextSubscriber = 0
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.subscribers.count } }

  /// Adds a subscriber and returns its events.
  ///
  /// - Parameters:
  ///   - first: Events that the subscriber receives first.
  ///   - others: Broadcasts whose events the subscriber receives too.
  ///   - owner: An object to keep alive as long as the subscriber.
  func stream(
    first: [Data], with others: [Broadcast] = [], holding owner: (any Sendable)? = nil
  ) -> Stream {
    Stream(bufferingPolicy: .bufferingOldest(Self.limit)) { subscriber in
      for event in first { subscriber.yield(event) }
      let ends = ([self] + others).map { $0.add(subscriber) }
      subscriber.onTermination = { _ in
        for end in ends { end() }
        // The handler retains the owner until the stream ends.
        withExtendedLifetime(owner) {}
      }
    }
  }

  /// Adds a subscriber, and returns a function that removes it.
  private func add(_ subscriber: Stream.Continuation) -> @Sendable () -> Void {
    let number = state.withLock { state in
      state.nextSubscriber += 1
      state.subscribers[state.nextSubscriber] = subscriber
      return state.nextSubscriber
    }
    return { [weak self] in self?.state.withLock { $0.subscribers[number] = nil } }
  }

  func send(_ event: Data) {
    // Send outside the lock, because ending a stream calls its termination handler, which acquires the
    // lock.
    for subscriber in state.withLock({ Array($0.subscribers.values) }) {
      // The termination handler of the subscriber removes it.
      if case .dropped = subscriber.yield(event) { subscriber.finish() }
    }
  }

  /// Ends all streams.
  func finish() {
    for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.finish() }
  }
}
