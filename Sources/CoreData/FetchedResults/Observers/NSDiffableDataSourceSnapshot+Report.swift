import OrderedCollections

extension NSDiffableDataSourceSnapshot<String, NSManagedObjectID> {
  /// Applies a report to the rows, and marks exactly the changed rows as reloaded.
  mutating func apply(_ report: FetchedResultsReport) {
    reloadedItems = []
    reloadedSections = []
    reconfiguredItems = []
    // Old indexes refer to the old sections, so rows are removed before sections change. New indexes refer to the new
    // sections, so rows are inserted afterwards. Deleted sections are in descending order and inserted sections in
    // ascending order, so no step changes an index that a later step uses.
    var leaving: [Int: Set<Int>] = [:]
    let changes = report.changes
    for path in changes.deleted.map(\.path) + changes.moved.map(\.old) {
      leaving[path.section, default: []].insert(path.row)
    }
    for row in changes.deleted { sectionsOfItems[row.subject] = nil }
    for (section, rows) in leaving where contents.values.indices.contains(section) {
      let kept = contents.values[section].enumerated().filter { !rows.contains($0.offset) }
      contents.values[section] = OrderedSet(kept.map(\.element))
    }
    for section in changes.deletedSections where contents.values.indices.contains(section.index) {
      contents.remove(at: section.index)
    }
    for section in changes.insertedSections {
      contents.updateValue(
        [], forKey: section.name, insertingAt: Swift.min(section.index, contents.count))
    }
    var arriving: [Int: [(row: Int, id: NSManagedObjectID)]] = [:]
    for row in changes.inserted {
      arriving[row.path.section, default: []].append((row.path.row, row.subject))
    }
    for row in changes.moved {
      arriving[row.new.section, default: []].append((row.new.row, row.subject))
    }
    for (section, rows) in arriving where contents.values.indices.contains(section) {
      place(rows.sorted { $0.row < $1.row }, inSection: section)
    }
    for id in report.changedIDs where sectionsOfItems[id] != nil { reloadedItems.append(id) }
  }

  /// - Parameter rows: The rows, sorted by their new indexes.
  private mutating func place(_ rows: [(row: Int, id: NSManagedObjectID)], inSection section: Int) {
    let name = contents.keys[section]
    var items: [NSManagedObjectID] = []
    var kept = contents.values[section].makeIterator()
    for (row, id) in rows {
      while items.count < row, let next = kept.next() { items.append(next) }
      items.append(id)
      sectionsOfItems[id] = name
    }
    while let next = kept.next() { items.append(next) }
    contents.values[section] = OrderedSet(items)
  }

  /// Returns the snapshot without rows that have temporary IDs, which do not identify their objects after a save.
  func withoutTemporaryIDs() -> Self {
    let temporary = sectionsOfItems.keys.filter { $0.key < 0 }
    if temporary.isEmpty { return self }
    var copy = self
    copy.deleteItems(temporary)
    return copy
  }
}
