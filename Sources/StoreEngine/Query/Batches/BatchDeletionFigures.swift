/// The numbers of rows that a batch deletion deletes and changes, including the effects of delete rules.
package struct BatchDeletionFigures: Sendable {
  /// The numbers of deleted rows by entity name.
  package let deleted: [String: Int]
  /// The number of remaining rows that lose a relationship to a deleted row.
  package let unlinked: Int

  package init(deleted: [String: Int], unlinked: Int) {
    self.deleted = deleted
    self.unlinked = unlinked
  }

  /// The total number of deleted rows.
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
