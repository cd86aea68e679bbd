/// Decides which connections a server keeps: so many at the most, and of these so many whose request has not come to its
/// end. Where one more comes, another is closed for it; a request that is being answered is not, unless what it reads are
/// events, which whoever reads them asks for again.
package struct ConnectionPlan<ID: Hashable> {
  private struct Connection {
    /// Whether a request of it is being answered.
    var isAnswering = false
    /// Whether the headers of a request have come, and what is behind them has not come to its end.
    var isReceiving = false
    /// Whether the answer is a stream of events.
    var readsEvents = false
    /// Whether a request of it was ever admitted.
    var wasAdmitted = false
    /// When it began to do what it does, counted.
    var since = 0

    /// How soon it is closed for another: lower is sooner; nil for never.
    var rank: Int? {
      if isReceiving { return wasAdmitted ? 1 : 0 }
      if isAnswering { return readsEvents ? 3 : nil }
      return wasAdmitted ? 2 : 0
    }
  }

  /// How many connections there are at the most.
  private let limit: Int
  /// How many of them may be in the middle of a request: whoever sends halves of requests leaves most places to others.
  private let receivingLimit: Int
  private var connections: [ID: Connection] = [:]
  private var receiving = 0
  private var clock = 0

  package init(limit: Int) {
    self.limit = max(limit, 1)
    receivingLimit = max(limit / 4, 1)
  }

  /// Takes a place for a new connection.
  ///
  /// - Returns: whether there is one, and the connection that is to be closed for it.
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

  /// The connection is gone.
  package mutating func close(_ id: ID) {
    if connections.removeValue(forKey: id)?.isReceiving == true { receiving -= 1 }
  }

  /// The headers of a request have come.
  ///
  /// - Returns: the connection that is to be closed, where too many are in the middle of a request.
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

  /// The request has come to its end.
  package mutating func noteEnd(of id: ID) { change(id) { $0.isReceiving = false } }

  /// All requests are answered.
  package mutating func noteAnswer(of id: ID) {
    change(id) { connection in
      connection.isAnswering = false
      connection.readsEvents = false
    }
  }

  /// The request is one that may be asked.
  package mutating func noteAdmission(of id: ID) { connections[id]?.wasAdmitted = true }

  /// The answer is a stream of events.
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

  /// The connection that is closed first among some: of the lowest rank the one that has been there longest.
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
