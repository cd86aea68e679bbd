/// What a context's reads see, and what they have read before it is asked for.
struct ContextReading {
  /// The state of the stores that reads are pinned to.
  var generation: NSQueryGenerationToken?
  /// How often the context saved, or merged what others saved: rows that were read before are of the past.
  private(set) var newsCount = 0
  private(set) var membersReadAhead = PrefetchedMembers()

  mutating func countNews() { newsCount &+= 1 }

  mutating func readAhead(_ content: ToManyContent) { membersReadAhead.insert(content) }

  /// Removes the relationships whose members were read and not made yet, and returns them.
  mutating func drainMembersReadAhead() -> [ToManyContent] { membersReadAhead.drain() }

  mutating func forgetMembersReadAhead() { membersReadAhead = PrefetchedMembers() }
}
