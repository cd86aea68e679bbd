/// Decides which connections a server keeps open: at most a fixed number, and at most a quarter of that number with an
/// incomplete request.
///
/// When a connection exceeds a limit, the plan chooses a connection to close. It never chooses a connection whose
/// complete request is being answered, unless the response is a stream of events: a client that loses its stream opens
/// another one.
package struct ConnectionPlan<ID: Hashable> {
  private struct Connection {
    /// Whether one of its requests is being answered.
    var isAnswering = false
    /// Whether the headers of a request have arrived and its body is incomplete.
    var isReceiving = false
    /// Whether the response is a stream of events.
    var readsEvents = false
    /// Whether one of its requests was admitted.
    var wasAdmitted = false
    /// The number of the event that last changed its state.
    var since = 0

    /// The connection's rank for closing, lowest first; nil if it may not be closed for another connection.
    var rank: Int? {
      if isReceiving { return wasAdmitted ? 1 : 0 }
      if isAnswering { return readsEvents ? 3 : nil }
      return wasAdmitted ? 2 : 0
    }
  }

  /// The maximum number of connections.
  private let limit: Int
  /// The maximum number of connections with an incomplete request, so that a client that never completes its requests
  /// leaves most connections free.
  private let receivingLimit: Int
  private var connections: [ID: Connection] = [:]
  private var receiving = 0
  private var clock = 0

  package init(limit: Int) {
    self.limit = max(limit, 1)
    receivingLimit = max(limit / 4, 1)
  }

  /// Adds a new connection.
  ///
  /// - Returns: Whether the connection may stay open, and the connection to close for it.
  package mutating func open(_ id: ID) -> (isOpen: Bool, closed: ID?) {
    var closed: ID?
    if connections.count >= limit {
      closed = first { _, _ in true }
      guard let closed else { return (false, nil) }
      close(closed)
    }
    clock += 1
    connections[id] = Connection(since: clock)
    return (true, closed)
  }

  /// Removes a connection that was closed.
  package mutating func close(_ id: ID) {
    if connections.removeValue(forKey: id)?.isReceiving == true { receiving -= 1 }
  }

  /// Records that the headers of a request have arrived.
  ///
  /// - Returns: The connection to close, if too many have incomplete requests.
  package mutating func noteHeaders(of id: ID) -> ID? {
    change(id) { connection in
      connection.isAnswering = true
      connection.isReceiving = true
    }
    guard receiving > receivingLimit, let closed = first(where: { $0 != id && $1.isReceiving })
    else { return nil }
    close(closed)
    return closed
  }

  /// Records that a request is complete.
  package mutating func noteEnd(of id: ID) { change(id) { $0.isReceiving = false } }

  /// Records that all requests of a connection are answered.
  package mutating func noteAnswer(of id: ID) {
    change(id) { connection in
      connection.isAnswering = false
      connection.readsEvents = false
    }
  }

  /// Records that a request was admitted.
  package mutating func noteAdmission(of id: ID) { connections[id]?.wasAdmitted = true }

  /// Records that the response is a stream of events.
  package mutating func noteEvents(of id: ID) { connections[id]?.readsEvents = true }

  private mutating func change(_ id: ID, _ body: (inout Connection) -> Void) {
    guard var connection = connections[id] else { return }
    if connection.isReceiving { receiving -= 1 }
    body(&connection)
    if connection.isReceiving { receiving += 1 }
    clock += 1
    connection.since = clock
    connections[id] = connection
  }

  /// Returns the connection to close first: among those with the lowest rank, the one whose state has not changed for
  /// the longest time.
  private func first(where belongs: (ID, Connection) -> Bool) -> ID? {
    var found: (id: ID, rank: Int, since: Int)?
    for (id, connection) in connections where belongs(id, connection) {
      guard let rank = connection.rank else { continue }
      if let found, (found.rank, found.since) <= (rank, connection.since) { continue }
      found = (id, rank, connection.since)
    }
    return found?.id
  }
}

extension ConnectionPlan: Sendable where ID: Sendable {}
