/// The state of a context's reads: the generation that they see, and members read ahead.
struct ContextReading {
  /// The state of the stores that reads are pinned to.
  private(set) var generation: NSQueryGenerationToken?
  /// The numbers of the stores that were found not to support pinning. Checking them again costs a connection.
  private var storesWithoutStates: [Int32] = []
  /// The number of saves and merges of the context. If it has changed, rows read before are outdated.
  private(set) var newsCount = 0
  private(set) var membersReadAhead = PrefetchedMembers()

  /// Pins reads to a state of the stores, or with nil unpins them. Returns the previous state.
  @discardableResult
  mutating func pin(to generation: NSQueryGenerationToken?) -> NSQueryGenerationToken? {
    exchange(&self.generation, with: generation)
  }

  /// Records that none of the stores with these numbers supports pinning.
  mutating func noteMissingStates(of stores: [Int32]) { storesWithoutStates = stores }

  /// Returns whether the stores with these numbers were found not to support pinning.
  func lacksStates(of stores: [Int32]) -> Bool { stores == storesWithoutStates }

  mutating func countNews() { newsCount &+= 1 }

  mutating func readAhead(_ content: ToManyContent) { membersReadAhead.insert(content) }

  /// Removes the relationships whose members were read ahead and have no objects yet, and returns them.
  mutating func drainMembersReadAhead() -> [ToManyContent] { membersReadAhead.drain() }

  mutating func forgetMembersReadAhead() { membersReadAhead = PrefetchedMembers() }

  /// Returns a description of an inconsistency in the members read ahead, or nil.
  func checkInvariants() -> String? { membersReadAhead.checkInvariants() }
}
