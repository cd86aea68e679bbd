#if Explorer
  import CoreDataExplorer
  import ExplorerServer
  import Foundation
  import StoreInspection
  import Synchronization

  /// A server that runs until SIGINT, SIGTERM or SIGHUP, and that a command can wait for.
  final class ServingTask: Sendable {
    private let failure = Mutex<(any Error)?>(nil)
    private let done = DispatchSemaphore(value: 0)
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ server: ExplorerServer, started: @escaping @Sendable (Int) -> Void) {
      let running = Task { [self] in
        do {
          try await server.run { started($0) }
        } catch is CancellationError {
          // A signal has cancelled the task, which is the usual end.
        } catch {
          failure.withLock { $0 = error }
        }
        done.signal()
      }
      task.withLock { $0 = running }
    }

    /// Waits until the server has ended, and closes the explorer.
    ///
    /// - Throws: the error that ended the server: for example, the port is taken.
    func wait(andClose explorer: Explorer) throws {
      // If the terminal was closed, notes cannot be written, but the store still has to be closed.
      Console.current.surviveOutputLoss { _ in }
      let signals = EndingSignals { [self] in task.withLock { $0?.cancel() } }
      done.wait()
      // Without this, the optimizer may release the object before the wait ends, and a signal
      // would end the process.
      withExtendedLifetime(signals) {}
      // Commands run synchronously, and closing an explorer is asynchronous.
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
