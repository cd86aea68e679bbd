import Foundation
import StoreInspection

/// The saves of other processes that are still in the store's write-ahead log when a command that only reads ends.
///
/// A process that closes a store moves the log into the file, unless another process still has the store open; then the
/// last process that closes the store moves it. A command that only reads cannot move the log, so without this
/// type, a copy of the file alone would lack the last saves.
struct LeftLog {
  private let path: String
  private let before: State
  /// Whether another process had the store open with something in the log.
  private let wasShared: Bool

  private struct State: Equatable {
    var size: Int64 = 0
    var modified: Date?
  }

  /// Runs a block that opens a store for reading and closes it. Then, even if the block throws, moves the log into the
  /// file if the reading may have kept another process from doing so: if that process wrote to the log meanwhile, or
  /// closed the store. Otherwise the log stays as it is, because a command that only reads should not change the store.
  /// The log also stays if another process still has the store open, if the store belongs to a photo library, or if a
  /// signal ends the process.
  ///
  /// - Parameters:
  ///   - model: The model given by `--model`.
  ///   - isKept: Whether the log is left as it is in any case.
  static func moving<Result>(
    of path: String, model: String?, unless isKept: Bool = false, after body: () throws -> Result
  ) rethrows -> Result {
    if isKept { return try body() }
    // Created before the store is opened, so that it notices all later saves.
    let log = LeftLog(of: path)
    defer { log.moveIntoStore(model: model) }
    return try body()
  }

  /// Records the state of the log. The log of a store behind a symbolic link is beside the store, not beside the link.
  private init(of path: String) {
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    before = Self.state(of: self.path)
    wasShared = before.size > 0 && !StoreUsers.processes(using: self.path).isEmpty
  }

  private static func state(of path: String) -> State {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return State(
      size: (attributes?[.size] as? NSNumber)?.int64Value ?? 0,
      modified: attributes?[.modificationDate] as? Date)
  }

  private func moveIntoStore(model: String?) {
    let now = Self.state(of: path)
    // An empty log has nothing to move: a checkpoint truncated it.
    guard now.size > 0, now != before || wasShared,
      StoreProtection.photoLibrary(containing: path) == nil,
      isAlone(attempts: now == before ? 1 : Self.attempts)
    else { return }
    do {
      try OpenedStore.open(path, model: model, readOnly: false).close()
    } catch {
      Console.current.note(
        "note: the last saves could not be moved from \(path)-wal into the store: \(Diagnostic(error).message)\n"
      )
    }
  }

  /// Returns whether no other process has the store open. With several attempts, waits for a process that is closing
  /// the store: its last save may have ended the command, and it does not move the log if the command still had the
  /// store open.
  private func isAlone(attempts: Int) -> Bool {
    for attempt in 0..<attempts {
      if attempt > 0 { Thread.sleep(forTimeInterval: Self.pause) }
      if StoreUsers.processes(using: path).isEmpty { return true }
    }
    return false
  }

  private static let attempts = 10
  private static let pause = 0.05
}
