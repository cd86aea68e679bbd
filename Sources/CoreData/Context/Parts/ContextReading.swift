/// The state of a context's reads: the generation that they see, and members read ahead.
struct ContextReading {
  /// The state of the stores that reads are pinned to.
  var generation: NSQueryGenerationToken?
  /// The numbers of the stores that were found to have no states. Checking them again costs a connection.
  var storesWithoutStates: [Int32] = []
  /// The number of saves and merges of the context. If it has changed, rows read before are outdated.
  private(set) var newsCount = 0
  private(set) var membersReadAhead = PrefetchedMembers()

  mutating func countNews() { newsCount &+= 1 }

  mutating func readAhead(_ content: ToManyContent) { membersReadAhead.insert(content) }

  /// Removes the relationships whose members were read ahead and have no objects yet, and returns them.
  mutating func drainMembersReadAhead() -> [ToManyContent] { membersReadAhead.drain() }

  mutating func forgetMembersReadAhead() { membersReadAhead = PrefetchedMembers() }
}
