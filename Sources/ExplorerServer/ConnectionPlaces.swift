#if Explorer
  import CoreDataExplorer
  import Foundation
  import NIOCore
  import Synchronization

  /// The connections that are open: so many at the most, so that descriptors are left for the store. ``ConnectionPlan``
  /// says which one makes room for another.
  final class ConnectionPlaces: Sendable {
    /// How many there are at the most.
    private static let most = 512
    /// How many descriptors are kept for the store, its log, and what the process has open besides.
    private static let keptBack = 160

    private struct State {
      var plan: ConnectionPlan<ObjectIdentifier>
      var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    init() { state = Mutex(State(plan: ConnectionPlan(limit: Self.limit()))) }

    /// As many as the process may have descriptors for, after it has asked for as many as it is let have.
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

    /// Takes a place for a new connection.
    ///
    /// - Returns: whether there is one; else the connection is to be closed.
    func open(_ channel: any Channel) -> Bool {
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

    /// Records that the headers of a request have arrived. Where too many connections have incomplete requests, this
    /// closes one of them.
    func noteHeaders(of channel: any Channel) {
      let closed = state.withLock { state -> (any Channel)? in
        state.plan.noteHeaders(of: ObjectIdentifier(channel))
          .flatMap { state.channels.removeValue(forKey: $0) }
      }
      closed?.close(promise: nil)
    }

    /// Has the plan record something about a connection.
    func note(
      _ channel: any Channel,
      _ record: (inout ConnectionPlan<ObjectIdentifier>, ObjectIdentifier) -> Void
    ) {
      state.withLock { record(&$0.plan, ObjectIdentifier(channel)) }
    }
  }
#endif
