/// The values that determine the position of a row: those of the sort descriptors, then its store, then its key.
package struct SortValues {
  package let values: [StoredValue]
  package let key: Int64
  /// The store of the row, because rows of different stores may have the same key.
  package let store: Int32

  package init(values: [StoredValue], key: Int64, store: Int32 = 0) {
    self.values = values
    self.key = key
    self.store = store
  }
}

/// Compares rows as a store does with `ORDER BY`.
package struct RowOrder {
  package let sorts: [BoundSort]

  package init(sorts: [BoundSort]) {
    self.sorts = sorts
  }

  /// Returns a negative number if `left` comes first; 0 only for a row and itself.
  package func compare(_ left: SortValues, _ right: SortValues) -> Int {
    for (index, sort) in sorts.enumerated() {
      let order = compare(left.values[index], right.values[index], sort)
      if order != 0 { return sort.ascending ? order : -order }
    }
    return Self.compareIDs(left.key, left.store, right.key, right.store)
  }

  /// Compares saved rows by store and primary key. Unsaved rows follow them.
  package static func compareIDs(
    _ left: Int64, _ leftStore: Int32, _ right: Int64, _ rightStore: Int32
  ) -> Int {
    // An unsaved row is in no store yet.
    if leftStore != rightStore, left > 0, right > 0 { return leftStore < rightStore ? -1 : 1 }
    return compareKeys(left, right)
  }

  private func compare(_ left: StoredValue, _ right: StoredValue, _ sort: BoundSort) -> Int {
    if sort.comparison != .literal, case .text(let a) = left, case .text(let b) = right {
      return sort.comparison.compare(a, b).rawValue
    }
    return StoredValue.rowOrder(left, right)
  }

  /// Compares saved rows by primary key. Unsaved rows follow them in the order of insertion, which is the order of
  /// the keys that they will get.
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
