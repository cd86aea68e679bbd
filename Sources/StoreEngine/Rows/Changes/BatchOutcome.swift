/// The rows that a batch request inserted, updated and deleted.
package struct BatchOutcome {
  package var inserted = BatchKeys()
  package var updated = BatchKeys()
  package var deleted = BatchKeys()
  /// Other rows, whose derived attributes the store recomputed as a consequence.
  package var computed = BatchKeys()

  package init() {}

  package mutating func add(_ other: BatchOutcome) {
    inserted.runs += other.inserted.runs
    updated.runs += other.updated.runs
    deleted.runs += other.deleted.runs
    computed.runs += other.computed.runs
  }

  /// The rows that the request itself updated or deleted.
  package var written: KeyRanges { KeyRanges(updated.runs + deleted.runs) }

  package var isEmpty: Bool { count == 0 }
  package var count: Int { inserted.count + updated.count + deleted.count }

  /// The stores of the inserted, updated and deleted rows.
  package var origins: [StoreOrigin] {
    var origins: [StoreOrigin] = []
    for run in inserted.runs + updated.runs + deleted.runs
    where !origins.contains(where: { $0 === run.origin }) { origins.append(run.origin) }
    return origins
  }
}

/// The keys of rows of one or more stores. Consecutive keys are one range, so that a million new rows need as much
/// memory as one. Object IDs are created only when a result or a merge needs them.
package struct BatchKeys {
  package struct Run {
    package let layout: EntityLayout
    package let origin: StoreOrigin
    package var keys: ClosedRange<Int64>
  }

  package fileprivate(set) var runs: [Run] = []

  package init() {}

  package mutating func append(_ key: Int64, _ layout: EntityLayout, _ origin: StoreOrigin) {
    if let last = runs.last, last.layout === layout, last.origin === origin,
      // Because of the first comparison, the addition cannot overflow.
      last.keys.upperBound < key, last.keys.upperBound + 1 == key
    {
      runs[runs.count - 1].keys = last.keys.lowerBound...key
    } else {
      runs.append(Run(layout: layout, origin: origin, keys: key...key))
    }
  }

  package var count: Int { runs.reduce(0) { $0 + $1.keys.count } }

  package var ids: [NSManagedObjectID] {
    runs.flatMap { run in
      run.keys.map { NSManagedObjectID(layout: run.layout, key: $0, origin: run.origin) }
    }
  }
}
