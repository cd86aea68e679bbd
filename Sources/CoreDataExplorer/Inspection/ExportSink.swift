import Foundation
import Synchronization

/// Where an export goes, a part at a time: no more than a few parts wait for the reader.
final class ExportSink: Sendable {
  /// How many parts wait at the most.
  private static let waitingParts = 8
  /// How long the next one waits then.
  private static let pause = Duration.milliseconds(2)
  /// How long a reader may read nothing: whoever has stopped reading keeps a place, and a view of the store as it was,
  /// from others.
  static let patience = Duration.seconds(30)

  private let parts: Broadcast.Stream.Continuation
  private let places: ExportPlaces
  private let patience: Duration
  private let hasEnded = Mutex(false)

  private init(
    _ parts: Broadcast.Stream.Continuation, _ places: ExportPlaces, _ patience: Duration
  ) {
    self.parts = parts
    self.places = places
    self.patience = patience
  }

  /// The parts that `write` sends to the sink, until the places are closed.
  static func stream(
    in places: ExportPlaces, patience: Duration = patience, _ write: (ExportSink) -> Void
  ) -> Broadcast.Stream {
    Broadcast.Stream(bufferingPolicy: .bufferingOldest(waitingParts)) { parts in
      let sink = ExportSink(parts, places, patience)
      parts.onTermination = { _ in sink.hasEnded.withLock { $0 = true } }
      write(sink)
    }
  }

  /// Sends a part, on a thread that may wait.
  ///
  /// - Throws: `CancellationError` where nobody reads any more, ``Stalled`` where the reader has stopped.
  func sendBlocking(_ part: Data) throws {
    let start = ContinuousClock.now
    while try !offer(part, since: start) {
      Thread.sleep(forTimeInterval: Self.pause.milliseconds / 1_000)
    }
  }

  /// The same in a task.
  func send(_ part: Data) async throws {
    let start = ContinuousClock.now
    while try !offer(part, since: start) { try await Task.sleep(for: Self.pause) }
  }

  /// The reader has read nothing for too long.
  struct Stalled: Error {}

  private func offer(_ part: Data, since start: ContinuousClock.Instant) throws -> Bool {
    if hasEnded.withLock({ $0 }) || places.isClosed { throw CancellationError() }
    if ContinuousClock.now - start > patience { throw Stalled() }
    if case .dropped = parts.yield(part) { return false }
    return true
  }

  func finish(_ result: Result<Void, any Error>) {
    switch result {
    case .success: parts.finish()
    case .failure(let error): parts.finish(throwing: error)
    }
  }
}
