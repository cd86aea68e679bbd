#if Explorer
  import CoreDataExplorer
  import Foundation
  import NIOCore
  import Synchronization

  /// The open connections. Their number is limited, to leave file descriptors for the store. If there are too many,
  /// ``ConnectionPlan`` chooses the one to close.
  final class ConnectionPlaces: Sendable {
    /// The maximum number of connections.
    private static let most = 512
    /// How many descriptors are reserved for the store, its log, and other files of the process.
    private static let keptBack = 160

    private struct State {
      var plan: ConnectionPlan<ObjectIdentifier>
      var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    init() { state = Mutex(State(plan: ConnectionPlan(limit: Self.limit()))) }

    /// Returns the limit for this process, after raising its limit of file descriptors as far as needed and allowed.
    private static func limit() -> Int {
      var limits = rlimit()
      #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      #else
        let resource = RLIMIT_NOFILE
      #endif
      guard getrlimit(resource, &limits) == 0 else { return 64 }
      let wanted = rlim_t(most + keptBack)
      if limits.rlim_cur < wanted {
        limits.rlim_cur = min(limits.rlim_max, wanted)
        _ = setrlimit(resource, &limits)
        guard getrlimit(resource, &limits) == 0 else { return 64 }
      }
      return max(16, min(most, Int(clamping: limits.rlim_cur) - keptBack))
    }

    /// Registers a new connection.
    ///
    /// - Returns: Whether it may stay open; otherwise it has to be closed.
    func open(_ channel: any Channel) -> Bool {
      // The replaced connection is closed outside the lock, because its close future calls
      // `close(_:)`, which acquires the lock.
      let (isOpen, closed) = state.withLock { state -> (Bool, (any Channel)?) in
        let id = ObjectIdentifier(channel)
        let (isOpen, closed) = state.plan.open(id)
        if isOpen { state.channels[id] = channel }
        return (isOpen, closed.flatMap { state.channels.removeValue(forKey: $0) })
      }
      closed?.close(promise: nil)
      return isOpen
    }

    func close(_ channel: any Channel) {
      state.withLock { state in
        state.plan.close(ObjectIdentifier(channel))
        state.channels[ObjectIdentifier(channel)] = nil
      }
    }

    /// Records that the headers of a request have arrived. If too many connections have incomplete requests, this
    /// closes one of them.
    func noteHeaders(of channel: any Channel) {
      let closed = state.withLock { state -> (any Channel)? in
        state.plan.noteHeaders(of: ObjectIdentifier(channel))
          .flatMap { state.channels.removeValue(forKey: $0) }
      }
      closed?.close(promise: nil)
    }

    /// Records an event of a connection in the plan.
    func note(
      _ channel: any Channel,
      _ record: (inout ConnectionPlan<ObjectIdentifier>, ObjectIdentifier) -> Void
    ) {
      state.withLock { record(&$0.plan, ObjectIdentifier(channel)) }
    }
  }
#endif
