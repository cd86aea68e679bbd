/// What a row is ordered by: the values of the sort descriptors, then its store, then its ID.
package struct SortValues {
  package let values: [StoredValue]
  package let key: Int64
  /// Tells rows of different stores apart that have the same key.
  package let store: Int32

  package init(values: [StoredValue], key: Int64, store: Int32 = 0) {
    self.values = values
    self.key = key
    self.store = store
  }
}

/// Compares rows as the store does with `ORDER BY`.
package struct RowOrder {
  package let sorts: [BoundSort]

  package init(sorts: [BoundSort]) {
    self.sorts = sorts
  }

  /// Negative when `left` comes first; 0 only for one row with itself.
  package func compare(_ left: SortValues, _ right: SortValues) -> Int {
    for (index, sort) in sorts.enumerated() {
      let order = compare(left.values[index], right.values[index], sort)
      if order != 0 { return sort.ascending ? order : -order }
    }
    return Self.compareIDs(left.key, left.store, right.key, right.store)
  }

  /// Saved rows by store and primary key, then unsaved ones.
  package static func compareIDs(
    _ left: Int64, _ leftStore: Int32, _ right: Int64, _ rightStore: Int32
  ) -> Int {
    if leftStore != rightStore, left > 0, right > 0 { return leftStore < rightStore ? -1 : 1 }
    return compareKeys(left, right)
  }

  private func compare(_ left: StoredValue, _ right: StoredValue, _ sort: BoundSort) -> Int {
    if sort.comparison != .literal, case .text(let a) = left, case .text(let b) = right {
      return sort.comparison.compare(a, b).rawValue
    }
    return StoredValue.rowOrder(left, right)
  }

  /// Saved rows by primary key, then unsaved ones in the order in which they were inserted, which
  /// is the order of the keys they will get.
  package static func compareKeys(_ left: Int64, _ right: Int64) -> Int {
    if left == right { return 0 }
    switch (left < 0, right < 0) {
    case (false, false): return left < right ? -1 : 1
    case (true, true): return left > right ? -1 : 1
    case (false, true): return -1
    case (true, false): return 1
    }
  }
}
