#if Explorer
  import CoreDataExplorer
  import ExplorerServer
  import Foundation
  import StoreInspection
  import Synchronization

  /// A server that runs until SIGINT, SIGTERM or SIGHUP, for a command that waits.
  final class ServingTask: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let done = DispatchSemaphore(value: 0)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ server: ExplorerServer, started: @escaping @Sendable (Int) -> Void) {
      let running = Task { [self] in
        do {
          try await server.run { started($0) }
        } catch is CancellationError {
        } catch {
          failure.withLock { $0 = error }
        }
        done.signal()
      }
      task.withLock { $0 = running }
    }

    /// Returns when it has ended.
    ///
    /// - Throws: why it could not go on: the port is taken, for example.
    func wait(andClose explorer: Explorer) throws {
      // When the terminal is closed, notes cannot be written, and the store still has to be closed.
      Console.current.surviveOutputLoss { _ in }
      let signals = EndingSignals { [self] in task.withLock { $0?.cancel() } }
      done.wait()
      withExtendedLifetime(signals) {}
      let closed = DispatchSemaphore(value: 0)
      Task {
        await explorer.close { Console.current.note($0) }
        closed.signal()
      }
      closed.wait()
      if let error = failure.withLock({ $0 }) { throw Diagnostic(.usage, "\(error)") }
    }
  }
#endif
