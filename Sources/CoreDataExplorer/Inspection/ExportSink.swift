import Foundation
import Synchronization

/// The destination of an export, which accepts only a few parts ahead of its reader.
final class ExportSink: Sendable {
  /// The maximum number of parts that wait for the reader.
  private static let waitingParts = 8
  /// How long to wait before sending a part again if the maximum number of parts is waiting.
  private static let pause = Duration.milliseconds(2)
  /// How long a reader may pause. A reader that has stopped would occupy one of the few places for exports, and keep a
  /// snapshot of the store.
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

  /// Returns a stream of the parts that `write` sends to the sink. Closing `places` ends the stream early.
  static func stream(
    in places: ExportPlaces, patience: Duration = patience, _ write: (ExportSink) -> Void
  ) -> Broadcast.Stream {
    Broadcast.Stream(bufferingPolicy: .bufferingOldest(waitingParts)) { parts in
      let sink = ExportSink(parts, places, patience)
      parts.onTermination = { _ in sink.hasEnded.withLock { $0 = true } }
      write(sink)
    }
  }

  /// Sends a part of the export, from a thread that may block.
  ///
  /// - Throws: `CancellationError` if the reader is gone or the explorer closes, ``Stalled`` if the reader has stopped
  ///   reading.
  func sendBlocking(_ part: Data) throws {
    let start = ContinuousClock.now
    while try !offer(part, since: start) {
      Thread.sleep(forTimeInterval: Self.pause.milliseconds / 1_000)
    }
  }

  /// Sends a part of the export, from a task.
  func send(_ part: Data) async throws {
    let start = ContinuousClock.now
    while try !offer(part, since: start) { try await Task.sleep(for: Self.pause) }
  }

  /// The reader has read nothing for too long.
  struct Stalled: Error {}

  private func offer(_ part: Data, since start: ContinuousClock.Instant) throws -> Bool {
    if hasEnded.withLock({ $0 }) || places.isClosed { throw CancellationError() }
    if ContinuousClock.now - start > patience { throw Stalled() }
    // The buffer keeps its oldest parts. So the dropped part is this one, which can be sent again.
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
