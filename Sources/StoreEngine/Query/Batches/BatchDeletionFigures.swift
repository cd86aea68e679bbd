/// How many rows a batch deletion reaches, with what its delete rules do.
package struct BatchDeletionFigures: Sendable {
  /// The rows that go, by the names of their own entities.
  package let deleted: [String: Int]
  /// The rows that stay and are taken out of a relationship.
  package let unlinked: Int

  package init(deleted: [String: Int], unlinked: Int) {
    self.deleted = deleted
    self.unlinked = unlinked
  }

  /// How many rows go in all.
  package var total: Int { deleted.values.reduce(0, +) }
}

extension BatchDeletionFigures {
  package init(_ outcome: BatchOutcome) {
    let deleted = outcome.deleted.runs.reduce(into: [:]) { counts, run in
      counts[run.layout.name, default: 0] += run.keys.count
    }
    self.init(deleted: deleted, unlinked: outcome.updated.count)
  }
}
