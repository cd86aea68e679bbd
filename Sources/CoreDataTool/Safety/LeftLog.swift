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

  private struct State: Equatable {
    var size: Int64 = 0
    var modified: Date?
  }

  /// Records the state of the log. The log of a store behind a symbolic link is beside the store, not beside the link.
  init(of path: String) {
    self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    before = Self.state(of: self.path)
  }

  private static func state(of path: String) -> State {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path + "-wal")
    return State(
      size: (attributes?[.size] as? NSNumber)?.int64Value ?? 0,
      modified: attributes?[.modificationDate] as? Date)
  }

  /// Moves the log into the file if another process has written to the log since `init` and no process has the store
  /// open now. A log that has not changed is not moved, because a command that only reads should not change the store.
  ///
  /// - Parameter model: The model given by `--model`.
  func moveIntoStore(model: String?) {
    let now = Self.state(of: path)
    // An empty log has nothing to move: a checkpoint truncated it.
    guard now.size > 0, now != before, StoreProtection.photoLibrary(containing: path) == nil,
      isAlone()
    else { return }
    do {
      try OpenedStore.open(path, model: model, readOnly: false).close()
    } catch {
      Console.current.note(
        "note: the last saves could not be moved from \(path)-wal into the store: \(Diagnostic(error).message)\n"
      )
    }
  }

  /// Returns whether no other process has the store open. Waits up to half a second for a process that is closing the
  /// store: if its last save ended the command, that process may leave the log, because the command still had the store
  /// open.
  private func isAlone() -> Bool {
    for attempt in 0..<Self.attempts {
      if attempt > 0 { Thread.sleep(forTimeInterval: Self.pause) }
      if StoreUsers.processes(using: path).isEmpty { return true }
    }
    return false
  }

  private static let attempts = 10
  private static let pause = 0.05
}
