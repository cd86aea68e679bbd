#if Explorer
  import CoreDataExplorer
  import ExplorerServer
  import Foundation
  import StoreInspection
  import Synchronization

  /// Runs a server until SIGINT, SIGTERM or SIGHUP, while the calling command waits.
  final class ServingTask: Sendable {
    private let failure = Mutex<(any Error)?>(nil)

    /// Runs the server until a signal arrives, and then closes the explorer.
    ///
    /// - Parameter started: Called with the port when the server accepts requests.
    /// - Throws: A ``Diagnostic`` with the error that ended the server, for example that the port is in use.
    func run(
      _ server: ExplorerServer, andClose explorer: Explorer,
      started: @escaping @Sendable (Int) -> Void
    ) throws {
      // If the terminal was closed, notes cannot be written, but the store still has to be closed.
      Console.current.surviveOutputLoss { _ in }
      // Observe signals before the server starts, because a user who sees the address may send a signal at once.
      let (signaled, signal) = AsyncStream<Void>.makeStream()
      let signals = EndingSignals { signal.finish() }
      // Commands run synchronously; serving and closing are asynchronous.
      wait { [self] in
        let serving = Task { try await server.run { started($0) } }
        Task {
          for await _ in signaled {}
          serving.cancel()
        }
        do {
          try await serving.value
        } catch is CancellationError {
          // A signal has cancelled the task, which is the usual end.
        } catch {
          failure.withLock { $0 = error }
        }
      }
      // Without this, the optimizer may release the object before the wait ends, and a signal
      // would end the process.
      withExtendedLifetime(signals) {}
      wait { await explorer.close { Console.current.note($0) } }
      if let error = failure.withLock({ $0 }) { throw Diagnostic(.usage, "\(error)") }
    }

    private func wait(for work: @escaping @Sendable () async -> Void) {
      let done = DispatchSemaphore(value: 0)
      Task {
        await work()
        done.signal()
      }
      done.wait()
    }
  }
#endif
