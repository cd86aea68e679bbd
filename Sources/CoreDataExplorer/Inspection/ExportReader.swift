import Foundation
import Synchronization

/// Whoever takes an export: a part at a time, and no more than some wait for it.
final class ExportReader: Sendable {
  /// How many parts wait at the most.
  private static let waitingParts = 8
  /// How long the next one waits then.
  private static let pause = Duration.milliseconds(2)

  private let parts: Broadcast.Stream.Continuation
  private let places: ExportPlaces
  private let hasEnded = Mutex(false)

  private init(_ parts: Broadcast.Stream.Continuation, _ places: ExportPlaces) {
    self.parts = parts
    self.places = places
  }

  /// The parts that `write` gives its reader, until the places are closed.
  static func stream(
    in places: ExportPlaces, _ write: (ExportReader) -> Void
  ) -> Broadcast.Stream {
    Broadcast.Stream(bufferingPolicy: .bufferingOldest(waitingParts)) { parts in
      let reader = ExportReader(parts, places)
      parts.onTermination = { _ in reader.hasEnded.withLock { $0 = true } }
      write(reader)
    }
  }

  /// Gives a part, on a thread that may wait.
  ///
  /// - Throws: `CancellationError` where nobody takes them any more.
  func giveWaiting(_ part: Data) throws {
    while try !offer(part) { Thread.sleep(forTimeInterval: Self.pause.milliseconds / 1_000) }
  }

  /// The same in a task.
  func give(_ part: Data) async throws {
    while try !offer(part) { try await Task.sleep(for: Self.pause) }
  }

  private func offer(_ part: Data) throws -> Bool {
    if hasEnded.withLock({ $0 }) || places.isClosed { throw CancellationError() }
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
