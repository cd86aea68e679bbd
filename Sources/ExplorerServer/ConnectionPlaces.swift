#if Explorer
  import Foundation
  import NIOCore
  import Synchronization

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The connections that are open: so many at the most, so that descriptors are left for the store. Where one more comes, the
  /// one makes room for it that has waited longest without a request being answered.
  final class ConnectionPlaces: Sendable {
    /// How many there are at the most.
    private static let most = 512
    /// How many descriptors are kept for the store, its log, and what the process has open besides.
    private static let keptBack = 160

    private struct Connection {
      let channel: any Channel
      /// Whether a request is being answered: one that is, is never closed for another.
      var isAnswering = false
      /// Whether a request of it was ever admitted.
      var wasAdmitted = false
      /// When it began to wait, counted.
      var since = 0
    }

    private struct State {
      var connections: [ObjectIdentifier: Connection] = [:]
      var clock = 0
    }

    private let state = Mutex(State())
    private let limit: Int

    init() { limit = Self.limit() }

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
        var closed: (any Channel)?
        if state.connections.count >= limit {
          // Who was never let in goes before who was.
          let waiting = state.connections.filter { !$0.value.isAnswering }
          guard
            let first = waiting.min(by: {
              ($0.value.wasAdmitted ? 1 : 0, $0.value.since)
                < ($1.value.wasAdmitted ? 1 : 0, $1.value.since)
            })
          else { return (false, nil) }
          closed = first.value.channel
          state.connections[first.key] = nil
        }
        state.clock += 1
        state.connections[ObjectIdentifier(channel)] = Connection(
          channel: channel, since: state.clock)
        return (true, closed)
      }
      closed?.close(promise: nil)
      return isOpen
    }

    func close(_ channel: any Channel) {
      state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
    }

    /// A request of a connection is being answered, or no more.
    func note(_ channel: any Channel, isAnswering: Bool) {
      state.withLock { state in
        state.clock += 1
        let clock = state.clock
        state.connections[ObjectIdentifier(channel)]?.isAnswering = isAnswering
        state.connections[ObjectIdentifier(channel)]?.since = clock
      }
    }

    /// A request of a connection was admitted.
    func noteAdmission(of channel: any Channel) {
      state.withLock { $0.connections[ObjectIdentifier(channel)]?.wasAdmitted = true }
    }
  }
#endif
